// breaks nothing
import { connect } from "node:net";
export const kept = connect;

// breaks correctness/noNodejsModules
import { connect } from "node:net";
export const borrowed = connect;

// breaks correctness/noNodejsModules
import { request } from "node:http";
export const borrowed = request;

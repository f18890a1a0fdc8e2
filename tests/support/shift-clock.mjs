// @ts-check
// Loaded before a program with `node --import`: its clock is ahead by as many milliseconds as the file SHIFT_FILE says.
import { readFileSync } from "node:fs";

const file = process.env.SHIFT_FILE ?? "";
const RealDate = Date;

/** @returns {number} */
function shiftedNow() {
  return RealDate.now() + Number(readFileSync(file, "utf8"));
}

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args) => (args.length === 0 ? new target(shiftedNow()) : Reflect.construct(target, args)),
  get: (target, name) => (name === "now" ? shiftedNow : Reflect.get(target, name)),
});

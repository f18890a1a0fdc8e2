// @ts-check
import { driveCalls } from "../measure/drive-calls.mjs";
import { referenceLaunch, textOf } from "./everything.mjs";
import { loadPackage } from "./load-package.mjs";

/** @param {{ load: import("../measure/drive-calls.mjs").Load }} options */
export async function run({ load }) {
  const { createRuntime } = await loadPackage("mcporter");
  const launch = { kind: "stdio", ...referenceLaunch, cwd: process.cwd() };
  const runtime = await createRuntime({ servers: [{ name: "everything", command: launch }] });
  const call = async (/** @type {string} */ message) =>
    textOf(await runtime.callTool("everything", "echo", { args: { message } }));
  return driveCalls({ call, close: () => runtime.close() }, load);
}

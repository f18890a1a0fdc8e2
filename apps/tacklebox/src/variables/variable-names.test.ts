import { expect, it } from "vitest";
import { readVariables } from "./variable-names.ts";

it("finds a variable under every spelling on Windows, and lists it once", () => {
  const env = readVariables({ Path: "p", Tacklebox_Data: "d" }, "win32");
  expect([env.PATH, env.path, env.TACKLEBOX_DATA, Object.hasOwn(env, "tacklebox_data"), "PaTh" in env]).toEqual([
    "p",
    "p",
    "d",
    true,
    true,
  ]);
  expect({ ...env }).toEqual({ PATH: "p", TACKLEBOX_DATA: "d" });
  expect([env.toString, env.other, Object.hasOwn(env, "constructor")]).toEqual([undefined, undefined, false]);
});

it("tells spellings apart elsewhere", () => {
  expect(readVariables({ Path: "p" }, "linux")).toEqual({ Path: "p" });
  expect(readVariables({ Path: "p" }, "darwin").PATH).toBeUndefined();
});

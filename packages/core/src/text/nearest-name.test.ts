import { describe, expect, it } from "vitest";
import { nearestName, suggestion } from "./nearest-name.ts";

describe("nearestName", () => {
  it.each([
    ["filse", "files"],
    ["sever", "servers"],
    ["maxInstances", "max_instances"],
    ["max-instance", "max_instances"],
  ])("%s was probably meant to be %s", (typed, meant) => {
    expect(nearestName(typed, ["files", "servers", "max_instances", "timeout"])).toBe(meant);
  });

  it("suggests nothing when nothing is near, or the name is absurdly long", () => {
    expect(suggestion("zzz", ["files"])).toBe("");
    expect(suggestion("z", ["a"])).toBe("");
    expect(suggestion("f".repeat(200), ["files"])).toBe("");
    expect(suggestion("file", ["files"])).toBe(" Did you mean 'files'?");
  });
});

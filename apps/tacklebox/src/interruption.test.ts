import { describe, expect, it } from "vitest";
import { watchSignals } from "./interruption.ts";
import { createMemoryIo } from "./testing/memory-io.ts";

describe("watchSignals", () => {
  it("cancels at the first Ctrl-C and exits 130 at once at the second", () => {
    const io = createMemoryIo();
    const { interrupted, terminated } = watchSignals(io.control);
    io.raise("SIGINT");
    expect([interrupted.aborted, terminated.aborted, io.exits]).toEqual([true, false, []]);
    io.raise("SIGINT");
    expect(io.exits).toEqual([130]);
  });

  it.each(["SIGTERM", "SIGHUP"] as const)("distinguishes %s from Ctrl-C", (name) => {
    const io = createMemoryIo();
    const { interrupted, terminated } = watchSignals(io.control);
    io.raise(name);
    io.raise(name);
    expect([interrupted.aborted, terminated.aborted, io.exits]).toEqual([false, true, []]);
  });

  it("reacts to nothing after dispose", () => {
    const io = createMemoryIo();
    const { interrupted, dispose } = watchSignals(io.control);
    dispose();
    io.raise("SIGINT");
    expect(interrupted.aborted).toBe(false);
  });
});

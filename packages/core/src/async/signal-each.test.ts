import { describe, expect, it, vi } from "vitest";
import { withSignalEach } from "./signal-each.ts";

describe("work that shares a signal", () => {
  it("is stopped together, with the reason, by one listener on the signal", async () => {
    const stop = new AbortController();
    const listen = vi.spyOn(stop.signal, "addEventListener");
    const work = withSignalEach(
      Array.from({ length: 20 }, (_, index) => index),
      stop.signal,
      (index, signal) =>
        new Promise((resolve) => signal.addEventListener("abort", () => resolve([index, signal.reason]))),
    );
    stop.abort("enough");
    expect(await work).toEqual(Array.from({ length: 20 }, (_, index) => [index, "enough"]));
    expect(listen).toHaveBeenCalledOnce();
  });

  it("is aborted from the beginning if the signal was", async () => {
    expect(await withSignalEach([1], AbortSignal.abort("before"), async (_, { aborted }) => aborted)).toEqual([true]);
  });
});

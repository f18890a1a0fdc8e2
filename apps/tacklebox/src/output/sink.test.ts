import { PassThrough, Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { createSink } from "./sink.ts";

describe("createSink", () => {
  it("resolves when the stream has taken the text", async () => {
    const stream = new PassThrough();
    await createSink(stream).write("hello");
    expect(String(stream.read())).toBe("hello");
  });

  it("waits while the stream is slow", async () => {
    const steps: string[] = [];
    const stream = new Writable({
      write(_chunk, _encoding, done) {
        setImmediate(() => {
          steps.push("taken");
          done();
        });
      },
    });
    await createSink(stream).write("hello");
    steps.push("written");
    expect(steps).toEqual(["taken", "written"]);
  });

  it("ignores output when its reader is gone", async () => {
    const broken = Object.assign(new Error("broken pipe"), { code: "EPIPE" });
    const stream = new Writable({ write: (_chunk, _encoding, done) => done(broken) });
    const sink = createSink(stream);
    await sink.write("a");
    await sink.write("b");
    expect(sink.gone.aborted).toBe(true);
    expect(sink.gone.reason).toBe(broken);
  });
});

import { describe, expect, it } from "vitest";
import { startTestRuns } from "../testing/index.ts";

describe("a session", () => {
  it("is opened once under an id that two want at the same time", async () => {
    const { engine } = await startTestRuns([]);
    const open = () => engine.sessions.open({ wantedId: "mine", servers: [] });
    const [first, second] = await Promise.all([open(), open()]);
    expect([first.kind, second]).toMatchObject(["ok", { kind: "failed", failure: { code: "conflict" } }]);
  });
});

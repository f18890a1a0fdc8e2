import { expect, it } from "vitest";
import { says, startTestRuns } from "../testing/index.ts";

it("S3.28 a session gets the id its door asks for and keeps the folders it was last opened with", async () => {
  const test = await startTestRuns([says("ok")]);
  const opened = await test.engine.sessions.open({ wantedId: "chosen", servers: [], folders: ["/a", "/b"] });
  expect(opened).toMatchObject({ kind: "ok", value: { id: "chosen", folders: ["/a", "/b"] } });
  expect((await test.engine.sessions.list({ limit: 5 })).items).toEqual([]);
  await test.run("hello", { sessionId: "chosen" });
  expect((await test.engine.sessions.list({ limit: 5 })).items).toMatchObject([
    { id: "chosen", folders: ["/a", "/b"] },
  ]);
  await test.engine.sessions.open({ id: "chosen", servers: [], folders: ["/a"] });
  expect((await test.engine.sessions.list({ limit: 5 })).items).toMatchObject([
    { id: "chosen", title: "hello", folders: ["/a"] },
  ]);
});

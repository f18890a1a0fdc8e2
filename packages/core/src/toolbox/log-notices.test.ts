import { expect, it } from "vitest";
import { createRecordingLogger } from "../testing/recording-logger.ts";
import { createNoticeLog } from "./log-notices.ts";
import type { Notice } from "./registration.ts";

function notices(count: number, server: string, level: Notice["level"] = "info"): Notice[] {
  return Array.from({ length: count }, (_, index) => ({
    key: `registered:agent:${server}:t${index}`,
    level,
    text: `${server} ${index}`,
    server,
  }));
}

it("F20 at most 20 notices alike are logged for a server, and one that counts the others", () => {
  const logger = createRecordingLogger();
  const log = createNoticeLog(logger, { showTools: (server) => `show ${server}` });
  log([...notices(5_000, "many"), ...notices(20, "few")]);
  const texts = logger.texts("info");
  expect(texts).toHaveLength(41);
  expect(texts[20]).toBe("The same is true of 4980 more tools of MCP server 'many'. To see them: show many");
  log([...notices(5_001, "many"), ...notices(20, "few")]);
  expect(logger.texts("info").slice(41)).toEqual(["many 5000"]);
});

it("F20 details that were asked for are all logged", () => {
  const logger = createRecordingLogger();
  createNoticeLog(logger, undefined)(notices(50, "many", "debug"));
  expect(logger.texts("debug")).toHaveLength(50);
});

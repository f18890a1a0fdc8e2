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

it("F20 at most 100 notices alike are logged for a server, and one that counts the others", () => {
  const logger = createRecordingLogger();
  const log = createNoticeLog(logger, { showTools: (server) => `show ${server}` });
  log([...notices(5_000, "many"), ...notices(100, "few")]);
  const texts = logger.texts("info");
  expect(texts).toHaveLength(201);
  expect(texts[100]).toBe("The same is true of 4900 more tools of MCP server 'many'. To see them: show many");
  log([...notices(5_001, "many"), ...notices(100, "few")]);
  expect(logger.texts("info").slice(201)).toEqual(["many 5000"]);
});

it("F20 details that were asked for are all logged", () => {
  const logger = createRecordingLogger();
  createNoticeLog(logger, undefined)(notices(150, "many", "debug"));
  expect(logger.texts("debug")).toHaveLength(150);
});

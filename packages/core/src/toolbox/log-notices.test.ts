import { expect, it } from "vitest";
import { createManualClock } from "../testing/manual-clock.ts";
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
  const log = createNoticeLog({
    logger,
    advice: { showTools: (server) => `show ${server}` },
    clock: createManualClock(),
  });
  log([...notices(5_000, "many"), ...notices(100, "few")]);
  const texts = logger.texts("info");
  expect(texts).toHaveLength(201);
  expect(texts[100]).toBe("The same is true of 4900 more tools of MCP server 'many'. To see them: show many");
  log([...notices(5_001, "many"), ...notices(100, "few")]);
  expect(logger.texts("info")).toHaveLength(201);
});

it("F20 a server that keeps renaming its tools is logged 100 times in ten minutes, then once for all of them", () => {
  const logger = createRecordingLogger();
  const clock = createManualClock();
  const log = createNoticeLog({ logger, clock });
  const renamed = (list: number) =>
    notices(60, "many").map((notice) => ({ ...notice, key: `${notice.key}.${list}`, text: `list ${list}` }));
  for (let list = 0; list < 50; list += 1) log(renamed(list));
  const lines = logger.texts("info");
  expect([lines.length, lines.at(-1)]).toEqual([101, "The same is true of 20 more tools of MCP server 'many'"]);
  clock.advance(600_000);
  log(renamed(50));
  expect(logger.texts("info").slice(101, 103)).toEqual([
    "In the time before: The same is true of 2880 more tools of MCP server 'many'",
    "list 50",
  ]);
});

it("counts a single tool as one", () => {
  const logger = createRecordingLogger();
  createNoticeLog({ logger, clock: createManualClock() })(notices(101, "many"));
  expect(logger.texts("info").at(-1)).toBe("The same is true of 1 more tool of MCP server 'many'");
});

it("F20 details that were asked for are all logged", () => {
  const logger = createRecordingLogger();
  createNoticeLog({ logger, clock: createManualClock() })(notices(150, "many", "debug"));
  expect(logger.texts("debug")).toHaveLength(150);
});

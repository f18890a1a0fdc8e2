import type { ServerView } from "@tacklebox/core";
import { createManualClock } from "@tacklebox/core/testing";
import { describe, expect, it } from "vitest";
import { createScriptedEngine, serverView } from "../testing/scripted-engine.ts";
import { joinBriefly, type WaitsFor } from "./join-briefly.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

function setUp(views: readonly ServerView[], waitsFor: WaitsFor = "to-begin") {
  const clock = createManualClock();
  const { engine, emit } = createScriptedEngine({ servers: { list: async () => views } });
  let allJoined: () => void = () => undefined;
  const all = new Promise<void>((resolve) => {
    allJoined = resolve;
  });
  let isOver = false;
  const over = joinBriefly({ engine, joined: () => all }, clock, waitsFor).then(() => {
    isOver = true;
  });
  const isUp = () => emit({ type: "connection-changed", scope: "agent", server: "late", status: "connected" });
  return { clock, over, allJoined, isUp, isOver: () => isOver };
}

describe("waiting for servers that join later", () => {
  it("ends when all have joined, without a timer left", async () => {
    const { clock, over, allJoined } = setUp([serverView({ status: "connecting" })]);
    allJoined();
    await over;
    expect(clock.pending()).toBe(0);
  });

  it("ends after 1 s if one server is up", async () => {
    const { clock, over, isOver } = setUp([serverView(), serverView({ key: "late", status: "connecting" })]);
    await turn();
    clock.advance(999);
    await turn();
    expect(isOver()).toBe(false);
    clock.advance(1);
    await over;
  });

  it("ends after 5 s if it is to be said how they are", async () => {
    const views = [serverView(), serverView({ key: "late", status: "connecting" })];
    const { clock, over, isOver } = setUp(views, "to-report");
    await turn();
    clock.advance(4_999);
    await turn();
    expect(isOver()).toBe(false);
    clock.advance(1);
    await over;
  });

  it("goes on after 1 s until the first server is up", async () => {
    const { clock, over, isUp, isOver } = setUp([serverView({ status: "connecting" })]);
    clock.advance(1_000);
    await turn();
    expect(isOver()).toBe(false);
    isUp();
    await over;
  });
});

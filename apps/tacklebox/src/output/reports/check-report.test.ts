import type { ServerView, StartProblem } from "@tacklebox/core";
import { describe, expect, it } from "vitest";
import { serverView } from "../../testing/scripted-engine.ts";
import { judge } from "./check-report.ts";

const view = (key: string, status: ServerView["status"]) => serverView({ key, status });
const problem: StartProblem = { kind: "unreachable", text: "it is gone" };

function verdict(servers: readonly ServerView[], problems: readonly StartProblem[] = [], requireAll = false) {
  const { ok, text } = judge({ servers, problems, tools: 3, requireAll });
  return [ok, text];
}

describe("the verdict on a toolbox", () => {
  it("says that it is ready, with the number of tools", () => {
    expect(verdict([view("a", "connected")])).toEqual([true, "Ready. 3 tools may be called."]);
    expect(verdict([])).toEqual([true, "Ready. 3 tools may be called."]);
  });

  it("names the servers that are down, without counting disabled ones", () => {
    const servers = [view("a", "error"), view("b", "disconnected"), view("c", "connected"), view("d", "disabled")];
    const text = "Ready, but 2 of 3 servers are down: a, b. 1 server disabled: d. 3 tools may be called.";
    expect(verdict(servers)).toEqual([true, text]);
    expect(judge({ servers, problems: [], tools: 3, requireAll: false })).toMatchObject({
      down: ["a", "b"],
      disabled: ["d"],
    });
  });

  it("counts one server, the only one and all of them in plain words", () => {
    expect(verdict([view("a", "error"), view("b", "connected")])[1]).toContain("1 of 2 servers is down: a.");
    expect(verdict([view("a", "error")])[1]).toContain("the only server is down: a.");
    expect(verdict([view("a", "error"), view("b", "error")])[1]).toContain("all 2 servers are down: a, b.");
  });

  it("is no if every server has to be up and one is not", () => {
    const servers = [view("a", "error"), view("b", "connected"), view("c", "disabled")];
    expect(verdict(servers, [], true)).toEqual([
      false,
      "Not ready: 1 of 2 servers is down: a. 1 server disabled: c. 3 tools may be called.",
    ]);
    expect(verdict(servers.slice(1), [], true)[0]).toBe(true);
  });

  it("is no if there are problems", () => {
    expect(verdict([view("a", "connected")], [problem])).toEqual([
      false,
      "Not ready: 1 problem. 3 tools may be called.",
    ]);
    expect(verdict([view("a", "error")], [problem, problem])[1]).toContain(
      "Not ready: 2 problems; the only server is down: a.",
    );
  });
});

import { describe, expect, it } from "vitest";
import type { CommonOptions, Context } from "../command-options.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { createMemoryIo } from "../testing/memory-io.ts";
import { createScriptedEngine } from "../testing/scripted-engine.ts";
import { argument, count, flag, text } from "./parameters.ts";
import { checkedCommand, command, group } from "./row.ts";

interface GreetOptions extends CommonOptions {
  readonly name: string;
  readonly times: number;
}

const TEXT = { name: "greet", summary: "say hello", example: "tacklebox greet Ann", json: "{ greeted }" };
const LEFT_OUT = { config: undefined, json: false, logLevel: undefined, logFormat: undefined };

function greeting() {
  const greeted: GreetOptions[] = [];
  const run = async (_: Context, options: GreetOptions): Promise<ExitCode> => {
    greeted.push(options);
    return EXIT.ok;
  };
  return { greeted, load: async () => ({ run }) };
}

function context(): Context {
  return { io: createMemoryIo(), openEngine: createScriptedEngine({}).open };
}

describe("a row of the command table", () => {
  it("passes the typed values to its command under the command's own names", async () => {
    const { greeted, load } = greeting();
    const takes = { name: argument("whom"), times: count("--times <count>", "how often", 1) };
    const row = command({ ...TEXT, takes, load });
    expect(await row.start(context(), { name: "Ann", times: "3", logLevel: "debug" })).toEqual({
      kind: "ended",
      exitCode: EXIT.ok,
    });
    await row.start(context(), { name: "Bob", json: true });
    expect(greeted).toEqual([
      { ...LEFT_OUT, name: "Ann", times: 3, logLevel: "debug" },
      { ...LEFT_OUT, name: "Bob", times: 1, json: true },
    ]);
  });

  it("loads nothing when its check refuses", async () => {
    const row = checkedCommand({
      ...TEXT,
      takes: { name: argument("whom"), loud: flag("--loud", "as loud as can be") },
      check: ({ loud, ...given }) =>
        loud ? { kind: "refused", message: "be quiet" } : { kind: "ok", options: { ...given, times: 2 } },
      load: (): ReturnType<ReturnType<typeof greeting>["load"]> => Promise.reject(new Error("loaded")),
    });
    expect(await row.start(context(), { name: "Ann", loud: true })).toEqual({ kind: "refused", message: "be quiet" });
    await expect(row.start(context(), { name: "Ann" })).rejects.toThrow("loaded");
  });

  it("has the common options if it prints JSON, and otherwise only its own", () => {
    const { load } = greeting();
    const takes = { name: argument("whom"), times: count("--times <count>", "how often", 1) };
    const { json: _, ...bare } = TEXT;
    expect(Object.keys(command({ ...TEXT, takes, load }).takes)).toEqual([
      ...["name", "times"],
      ...["config", "json", "logLevel", "logFormat"],
    ]);
    expect(Object.keys(command({ ...bare, takes, load }).takes)).toEqual(["name", "times"]);
  });

  it("compiles only if it takes exactly the options of its command", () => {
    const { load } = greeting();
    const name = argument("whom");
    const times = count("--times <count>", "how often", 1);
    // @ts-expect-error -- `times` is missing
    command({ ...TEXT, takes: { name }, load });
    // @ts-expect-error -- `times` is a number and required
    command({ ...TEXT, takes: { name, times: text("--times <count>", "how often") }, load });
    // @ts-expect-error -- the command has no option `loud`
    command({ ...TEXT, takes: { name, times, loud: flag("--loud", "as loud as can be") }, load });
    // @ts-expect-error -- the check must return all options
    checkedCommand({ ...TEXT, takes: { name }, check: (options) => ({ kind: "ok", options }), load });
  });

  it("is named by the summary of its group", () => {
    const row = command({
      ...TEXT,
      takes: { name: argument("whom"), times: count("--times <count>", "", 1) },
      ...greeting(),
    });
    expect(group("polite", "good manners", "Talk", [row, { ...row, name: "thank" }]).summary).toBe(
      "good manners: greet, thank",
    );
  });
});

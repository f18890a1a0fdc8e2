import type { ChangedTool, Engine } from "@tacklebox/core";
import { canAsk, readAnswer } from "../asking/read-answer.ts";
import type { CommonOptions, Context } from "../command-options.ts";
import { oneShot, withStartedEngine } from "../engine/with-engine.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { formatChangedTool } from "../output/changed-definition.ts";
import { choosePaint } from "../output/colour.ts";
import type { TrustJson } from "../output/json/json-shapes.ts";
import { printJson, printProblems } from "../output/print.ts";
import { printableLine } from "../output/printable.ts";
import { describeUnknownServer } from "../output/unknown-server.ts";

export interface TrustOptions extends CommonOptions {
  readonly server: string;
  readonly tool: string | undefined;
  readonly yes: boolean;
}

/** Shows how the definitions of a server's tools changed, and accepts the new ones if a person says so. */
export function run(context: Context, options: TrustOptions): Promise<ExitCode> {
  const { io } = context;
  const { server, tool } = options;
  // What the log would warn about is what this command shows.
  const use = { ...oneShot(options, server), defaultLevel: "error" } as const;
  return withStartedEngine(context, use, async ({ engine, configFile }) => {
    const unknown = await describeUnknownServer(engine, server, configFile);
    if (unknown !== undefined) {
      await printProblems(io, [unknown]);
      return EXIT.usage;
    }
    const missing = await describeMissing(engine, options);
    if (missing !== undefined) {
      await printProblems(io, [missing]);
      return EXIT.callFailed;
    }
    const changed = await engine.tools.changed(server, tool);
    return options.json ? settleAsJson(io, engine, options, changed) : settle(io, engine, options, changed);
  });
}

/** Says why there is nothing to compare: the server is not connected, or it has no such tool. */
async function describeMissing(engine: Engine, { server, tool }: TrustOptions): Promise<string | undefined> {
  const view = (await engine.servers.list()).find(({ key }) => key === server);
  if (view?.status === "disabled") return `Server '${server}' is disabled. To enable it: tacklebox enable ${server}`;
  if (view?.status !== "connected") {
    const cause = view?.cause === undefined ? "" : `: ${view.cause}`;
    return `Server '${server}' is not connected${cause}\nIts definitions can be compared once it is`;
  }
  if (tool === undefined || (await engine.tools.explain(tool, server)).length > 0) return undefined;
  return `Server '${server}' has no tool named '${tool}'. To see its tools: tacklebox tools --server ${server}`;
}

async function settle(
  io: Io,
  engine: Engine,
  options: TrustOptions,
  changed: readonly ChangedTool[],
): Promise<ExitCode> {
  const { server, tool, yes } = options;
  if (changed.length === 0) {
    const subject =
      tool === undefined ? `no tool of server ${server} changed` : `tool ${tool} of server ${server} did not change`;
    await io.stdout.write(`${printableLine(`Nothing to accept: ${subject}`)}\n`);
    return EXIT.ok;
  }
  const asks = !yes && canAsk(io);
  // Whoever is asked must see what about, even if stdout goes elsewhere.
  const [sink, isTerminal] = asks ? [io.stderr, io.stderrIsTerminal] : [io.stdout, io.stdoutIsTerminal];
  const paint = choosePaint(isTerminal, io.env);
  await sink.write(changed.map((each) => `${formatChangedTool(each, server, paint)}\n`).join(""));
  if (!yes && !asks) {
    await printProblems(io, [refusal(options)]);
    return EXIT.denied;
  }
  const answer = asks ? await ask(io, changed.length) : "yes";
  if (answer === "stopped") return EXIT.interrupted;
  if (answer === "no") {
    await io.stderr.write("Nothing was accepted\n");
    return EXIT.denied;
  }
  return accept(io, engine, server, changed);
}

async function accept(io: Io, engine: Engine, server: string, changed: readonly ChangedTool[]): Promise<ExitCode> {
  const accepted = await engine.tools.trust(server, changed);
  if (accepted.length > 0)
    await io.stdout.write(`${printableLine(`Accepted the new definition of: ${accepted.join(", ")}`)}\n`);
  const others = changed.flatMap(({ tool }) => (accepted.includes(tool) ? [] : [tool]));
  if (others.length === 0) return EXIT.ok;
  await printProblems(io, [`Not accepted, because they changed again after they were shown: ${others.join(", ")}`]);
  return EXIT.denied;
}

async function settleAsJson(
  io: Io,
  engine: Engine,
  options: TrustOptions,
  changed: readonly ChangedTool[],
): Promise<ExitCode> {
  const { server, yes } = options;
  const accepted = yes ? await engine.tools.trust(server, changed) : [];
  const shown = changed.map(({ tool, before, definition }) => ({ tool, before: before ?? null, after: definition }));
  await printJson(io, { server, accepted, changed: shown } satisfies TrustJson);
  if (accepted.length === changed.length) return EXIT.ok;
  if (!yes) await printProblems(io, [refusal(options)]);
  return EXIT.denied;
}

function refusal({ server, tool }: TrustOptions): string {
  const what = tool === undefined ? server : `${server} ${tool}`;
  return `Nothing was accepted, because there is nobody to ask. If you agree with the changes, run: tacklebox trust ${what} --yes`;
}

async function ask(io: Io, count: number): Promise<"yes" | "no" | "stopped"> {
  await io.stderr.write(`Accept ${count === 1 ? "this definition" : `these ${count} definitions`}? [y/N] `);
  const answer = await readAnswer(io);
  if (answer.kind !== "line") await io.stderr.write("\n");
  if (answer.kind === "stopped") return "stopped";
  return answer.kind === "line" && /^\s*y(es)?\s*$/i.test(answer.text) ? "yes" : "no";
}

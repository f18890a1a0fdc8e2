import type { Engine } from "../domain/engine.ts";
import type { EngineEvent } from "../domain/events.ts";
import type { ServerDefinition } from "../domain/server.ts";
import { assertEqual, assertThat, type ContractCase } from "./contract.ts";
import { RUN_CASES } from "./engine-contract-runs.ts";
import { SESSION_CASES } from "./engine-contract-sessions.ts";
import type { ScriptedTurn } from "./scripted-model.ts";

export interface EngineTrial {
  /**
   * Not started. Has one server, `echoer`, whose tool `echo` answers with its `message` and requires it, and one model,
   * `scripted`, that follows the turns it was created with.
   */
  readonly engine: Engine;
  /** A server that sessions can bring, `guest`, with one tool, `greet`, that needs no arguments. */
  readonly guest: ServerDefinition;
  cleanup(): Promise<void>;
}

/** What every door may rely on, whichever Engine it holds. */
export function engineContract(create: (turns: readonly ScriptedTurn[]) => Promise<EngineTrial>): ContractCase[] {
  const started = async (
    use: (engine: Engine, guest: ServerDefinition) => Promise<void>,
    turns: readonly ScriptedTurn[] = [],
  ) => {
    const { engine, guest, cleanup } = await create(turns);
    try {
      assertEqual((await engine.start()).problems, [], "problems at start");
      await use(engine, guest);
    } finally {
      await engine.stop();
      await cleanup();
    }
  };
  return [
    {
      name: "shows its server as connected, with its tools",
      run: () =>
        started(async (engine) => {
          const servers = await engine.listServers();
          assertEqual(
            servers.map(({ definition, status }) => [definition.key, status]),
            [["echoer", "connected"]],
            "servers",
          );
          const tools = await engine.listTools();
          assertThat(
            tools.some(({ shownName }) => shownName === "echo"),
            "echo is listed",
          );
        }),
    },
    {
      name: "finds a tool by words, best first, and nothing where nothing fits",
      run: () =>
        started(async (engine) => {
          const [first] = await engine.searchTools("echo", { limit: 1 });
          assertEqual([first?.tool.shownName, first?.score, first?.why.named], ["echo", 1, true], "the match");
          assertEqual(await engine.searchTools("zzyzx"), [], "no match");
        }),
    },
    {
      name: "makes a call, records it and announces every step",
      run: () =>
        started(async (engine) => {
          const seen: string[] = [];
          const unsubscribe = engine.subscribe((event) => seen.push(...statusOf(event)));
          const outcome = await engine.callTool({ tool: "echo", arguments: { message: "hello" } });
          unsubscribe();
          assertEqual(outcome.status, "success", "the outcome");
          assertEqual(seen, ["pending", "running", "success"], "statuses announced");
          const [record] = await engine.listCalls({ limit: 1 });
          assertEqual([record?.id, record?.status], [outcome.callId, "success"], "the record");
        }),
    },
    {
      name: "finds a tool by server and raw name, and says when there is none",
      run: () =>
        started(async (engine) => {
          const found = await engine.callTool({ server: "echoer", tool: "echo", arguments: { message: "x" } });
          assertEqual(found.status, "success", "by server and name");
          const lost = await engine.callTool({ server: "nobody", tool: "echo", arguments: {} });
          assertEqual(lost.status === "error" && lost.failure.ending, "unknown-tool", "an unknown server");
        }),
    },
    {
      name: "S1.50 refuses wrong arguments before anything is sent",
      run: () =>
        started(async (engine) => {
          const outcome = await engine.callTool({ tool: "echo", arguments: {} });
          assertEqual(outcome.status === "error" && outcome.failure.ending, "invalid-arguments", "ending");
        }),
    },
    {
      name: "explains why a tool can be called, and knows nothing of tools that do not exist",
      run: () =>
        started(async (engine) => {
          const [explanation] = await engine.explainTool("echo");
          assertEqual(explanation?.callable, true, "echo is callable");
          assertEqual(await engine.explainTool("no_such_tool"), [], "an unknown tool");
        }),
    },
    {
      name: "makes no call once it is stopped, and stops twice without harm",
      run: async () => {
        const { engine, cleanup } = await create([]);
        await engine.start();
        await Promise.all([engine.stop(), engine.stop()]);
        const outcome = await engine.callTool({ tool: "echo", arguments: { message: "late" } });
        assertEqual(outcome.status, "error", "a call after stopping");
        await cleanup();
      },
    },
    ...Object.entries({ ...RUN_CASES, ...SESSION_CASES }).map(([name, { turns, check }]) => ({
      name,
      run: () => started(check, turns),
    })),
  ];
}

function statusOf(event: EngineEvent): string[] {
  return event.type === "call-changed" ? [event.call.status] : [];
}

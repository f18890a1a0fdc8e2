import { listen } from "../../client/listen.ts";
import type { EngineEvent } from "../../domain/events.ts";
import type { ServerDefinition } from "../../domain/server.ts";
import type { Engine } from "../../engine.ts";
import type { EngineHost } from "../../engine-host.ts";
import type { ScriptedTurn } from "../scripted-model.ts";
import { waitUntil } from "../wait-until.ts";
import { assertEqual, assertThat, type ContractCase } from "./contract.ts";
import { RUN_CASES } from "./engine-contract-runs.ts";
import { SESSION_CASES } from "./engine-contract-sessions.ts";
import { WIRE_CASES } from "./engine-contract-wire.ts";

export interface EngineTrial {
  /**
   * An engine that is not started. It has one server, `echoer`, whose tool `echo` returns its required `message`, and
   * one model, `scripted`, that follows the turns it was created with.
   */
  readonly engine: Engine;
  /** Starts and stops that engine, wherever it runs. */
  readonly host: Pick<EngineHost, "start" | "stop">;
  /** A server that sessions can add, `guest`, with one tool, `greet`, that needs no arguments. */
  readonly guest: ServerDefinition;
  cleanup(): Promise<void>;
}

/** The model's turns, and a check of what must then be true of the engine. */
interface EngineCase {
  readonly turns?: readonly ScriptedTurn[];
  check(engine: Engine, host: Pick<EngineHost, "stop">, guest: ServerDefinition): Promise<void>;
}

const CASES: Readonly<Record<string, EngineCase>> = { ...RUN_CASES, ...SESSION_CASES, ...WIRE_CASES };

/** Returns the turns of a case, for an engine that is created in another process. */
export function turnsOfCase(name: string): readonly ScriptedTurn[] {
  return CASES[name]?.turns ?? [];
}

/** What every door may rely on, whichever Engine it uses. */
export function engineContract(
  create: (turns: readonly ScriptedTurn[], caseName: string) => Promise<EngineTrial>,
): ContractCase[] {
  const started = async (check: EngineCase["check"], caseName = "") => {
    const { host, engine, guest, cleanup } = await create(turnsOfCase(caseName), caseName);
    try {
      assertEqual((await host.start()).problems, [], "problems at start");
      await check(engine, host, guest);
    } finally {
      await host.stop();
      await cleanup();
    }
  };
  return [
    {
      name: "shows its server as connected, with its tools",
      run: () =>
        started(async (engine) => {
          const servers = await engine.servers.list();
          assertEqual(
            servers.map(({ key, status }) => [key, status]),
            [["echoer", "connected"]],
            "servers",
          );
          const tools = await engine.tools.list();
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
          const [first] = await engine.tools.search("echo", { limit: 1 });
          assertEqual([first?.tool.shownName, first?.score, first?.why.named], ["echo", 1, true], "the match");
          assertEqual(await engine.tools.search("zzyzx"), [], "no match");
        }),
    },
    {
      name: "makes a call, records it and announces every step",
      run: () =>
        started(async (engine) => {
          const seen: string[] = [];
          const unsubscribe = listen(engine, (event) => seen.push(...statusOf(event)));
          const outcome = await engine.calls.make({ tool: "echo", arguments: { message: "hello" } });
          await waitUntil(async () => seen.length === 3);
          unsubscribe();
          assertEqual(outcome.status, "success", "the outcome");
          assertEqual(seen, ["pending", "running", "success"], "statuses announced");
          const [record] = (await engine.calls.list({ limit: 1 })).items;
          assertEqual([record?.id, record?.status], [outcome.callId, "success"], "the record");
        }),
    },
    {
      name: "finds a tool by server and raw name, and says when there is none",
      run: () =>
        started(async (engine) => {
          const found = await engine.calls.make({ server: "echoer", tool: "echo", arguments: { message: "x" } });
          assertEqual(found.status, "success", "by server and name");
          const lost = await engine.calls.make({ server: "nobody", tool: "echo", arguments: {} });
          assertEqual(lost.status === "error" && lost.failure.ending, "unknown-tool", "an unknown server");
        }),
    },
    {
      name: "S1.50 refuses wrong arguments before anything is sent",
      run: () =>
        started(async (engine) => {
          const outcome = await engine.calls.make({ tool: "echo", arguments: {} });
          assertEqual(outcome.status === "error" && outcome.failure.ending, "invalid-arguments", "ending");
        }),
    },
    {
      name: "explains why a tool can be called, and returns nothing for tools that do not exist",
      run: () =>
        started(async (engine) => {
          const [explanation] = await engine.tools.explain("echo");
          assertEqual(explanation?.callable, true, "echo is callable");
          assertEqual(await engine.tools.explain("no_such_tool"), [], "an unknown tool");
        }),
    },
    {
      name: "accepts no definition that did not change, or is not the one that was shown",
      run: () =>
        started(async (engine) => {
          const [server = ""] = (await engine.tools.list()).map(({ ref }) => ref.server);
          assertEqual(await engine.tools.changed(server), [], "what changed");
          assertEqual(await engine.tools.changed("nobody", "echo"), [], "what changed at an unknown server");
          const seen = [{ tool: "echo", fingerprint: "another" }];
          assertEqual(await engine.tools.trust(server, seen), [], "what was accepted");
          assertEqual(await engine.tools.trust("nobody", seen), [], "what was accepted of an unknown server");
        }),
    },
    {
      name: "finds a tool by its name, alone or with its server",
      run: () =>
        started(async (engine) => {
          const [found, named, lost, elsewhere] = await Promise.all([
            engine.tools.find("echo"),
            engine.tools.find("echo", { server: "echoer" }),
            engine.tools.find("no_such_tool"),
            engine.tools.find("echo", { server: "nobody" }),
          ]);
          assertEqual(found?.ref, { scope: "agent", server: "echoer", name: "echo" }, "by its name");
          assertEqual(named, found, "with its server");
          assertEqual([lost, elsewhere], [undefined, undefined], "a tool or a server that is not there");
        }),
    },
    {
      name: "lists the calls whose id begins with what a person typed",
      run: () =>
        started(async (engine) => {
          for (const id of ["ab-1", "ab-2", "b-3"])
            await engine.calls.make({ id, tool: "echo", arguments: { message: id } });
          const { items } = await engine.calls.list({ idPrefix: "ab", limit: 5 });
          assertEqual(
            items.map(({ id }) => id),
            ["ab-2", "ab-1"],
            "the calls",
          );
        }),
    },
    {
      name: "makes no call once it is stopped, and can be stopped twice",
      run: async () => {
        const { host, engine, cleanup } = await create([], "");
        await host.start();
        await Promise.all([host.stop(), host.stop()]);
        const outcome = await engine.calls.make({ tool: "echo", arguments: { message: "late" } });
        assertEqual(outcome.status, "error", "a call after stopping");
        await cleanup();
      },
    },
    ...Object.entries(CASES).map(([name, { check }]) => ({ name, run: () => started(check, name) })),
  ];
}

function statusOf(event: EngineEvent): string[] {
  return event.type === "call-changed" ? [event.call.status] : [];
}

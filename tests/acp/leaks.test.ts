import { isDeepStrictEqual } from "node:util";
import { methods } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { processesWithMarker, until } from "../support/processes.ts";
import { fixturePath, startEverything } from "../support/servers.ts";
import { temporaryFolder, writeConfig } from "../support/workspace.ts";
import { type CountingProxy, startCountingProxy } from "./support/counting-proxy.ts";
import { type Editor, startEditor } from "./support/editor.ts";
import { startModel } from "./support/model.ts";
import { probe, stdio } from "./support/session-entries.ts";
import { startStalled } from "./support/stalled.ts";

const marker = () => `acp-leak-${crypto.randomUUID()}`;

/** Makes the program list on stderr what keeps it alive whenever it receives SIGUSR2. */
const REPORT_RESOURCES = `process.on("SIGUSR2", () => {
  process.stderr.write("resources " + JSON.stringify(process.getActiveResourcesInfo()) + "\\n");
});`;

const WHEN_IDLE = { children: 0, sockets: 0, timers: 0 };

/** Counts children, sockets and timers of the program itself; pipes count with the children they lead to. */
async function resourcesOf({ program }: Editor): Promise<Readonly<Record<string, number>>> {
  const lines = () => program.stderr().match(/^resources .*$/gm) ?? [];
  const before = lines().length;
  program.kill("SIGUSR2");
  const line = await until(() => lines()[before], { describe: "what keeps it alive" });
  const names: string[] = JSON.parse(line.slice("resources ".length));
  const count = (name: string) => names.filter((one) => one === name).length;
  return { children: count("ProcessWrap"), sockets: count("TCPSocketWrap"), timers: count("Timeout") };
}

describe("S3.15 T3.10 nothing outlives its session", () => {
  const WAYS = ["close", "delete", "close at once", "resume"] as const;

  /** Opens a session with a well-behaved server, one that refuses to end and has a grandchild, and a third. */
  async function openSession(
    editor: Editor,
    folder: string,
    mark: string,
    third: { readonly name: string },
  ): Promise<string> {
    const { sessionId } = await editor.open(folder, [
      probe("good", { MARK: mark }),
      stdio("clinging", fixturePath("fault-stdio"), ["clinging"], { MARK: mark }),
      third,
    ]);
    return sessionId;
  }

  /** Waits until `/mcp` shows these servers as connected. */
  async function untilUp(editor: Editor, sessionId: string, names: readonly string[]): Promise<void> {
    const isUp = (name: string) => editor.agentText(sessionId).includes(`**${name}** (from the editor) connected`);
    await until(
      async () => {
        await editor.prompt(sessionId, "/mcp");
        return names.every(isUp);
      },
      { describe: names.join(" and ") },
    );
  }

  const overHttp = (name: string, { url }: { readonly url: string }, type = "http") => ({
    type,
    name,
    url,
    headers: [],
  });
  const mute = (mark: string) => stdio("mute", fixturePath("fault-stdio"), ["mute"], { MARK: mark });

  it("20 sessions with 3 servers each, ended in every way a client can, leave no process, socket or timer", async () => {
    const folder = await temporaryFolder();
    const [everything, sse, stalled] = await Promise.all([
      startEverything("streamableHttp"),
      startEverything("sse"),
      startStalled(),
    ]);
    const http = await startCountingProxy(everything.url);
    const preload = await writeConfig(folder, "report-resources.mjs", REPORT_RESOURCES);
    const editor = await startEditor({ env: { NODE_OPTIONS: `--import=${preload}` } });
    const mark = marker();
    const absent = { name: "absent", command: "/no/such/command", args: [], env: [] };
    // A few at a time: sixty servers at once would only test this machine.
    const thirds = [mute(mark), overHttp("up", http), overHttp("up", sse, "sse"), overHttp("stalled", stalled), absent];
    for (const third of thirds) {
      const awaited = third.name === "up" ? ["good", "up"] : ["good"];
      await Promise.all(
        WAYS.map(async (way) => {
          const sessionId = await openSession(editor, folder, mark, third);
          if (way !== "close at once") await untilUp(editor, sessionId, awaited);
          if (way === "resume")
            await editor.agent.request(methods.agent.session.resume, { sessionId, cwd: folder, mcpServers: [] });
          const method = way === "delete" ? methods.agent.session.delete : methods.agent.session.close;
          await editor.agent.request(method, { sessionId });
        }),
      );
    }
    await until(() => processesWithMarker(mark).length === 0, { describe: "every server to be gone" });
    await until(() => http.sockets() + stalled.sockets() === 0, { describe: "no socket to be left" });
    let left: unknown;
    await until(
      async () => {
        left = await resourcesOf(editor);
        return isDeepStrictEqual(left, WHEN_IDLE);
      },
      { describe: "nothing to keep it alive" },
    ).catch(() => expect(left).toEqual(WHEN_IDLE));
    const { begun, ended } = http.sessions();
    expect(begun).toBeGreaterThanOrEqual(WAYS.length - 1);
    // A session that was closed at once may never have received its MCP session id.
    expect(ended).toBeGreaterThanOrEqual(WAYS.length - 1);
    const { code, stderr } = await editor.quit();
    // Expected warnings: the command that does not exist, and a tool that two servers have.
    const expected = /^resources |absent|Tool 'echo' is offered by/;
    const complaints = stderr.split("\n").filter((line) => !expected.test(line));
    expect([code, complaints.join("\n")]).toEqual([0, ""]);
  }, 300_000);

  it.each([
    ["the end of stdin", (editor: Editor) => editor.program.endStdin(), 0],
    ["SIGTERM", (editor: Editor) => editor.program.kill("SIGTERM"), 0],
    ["SIGINT", (editor: Editor) => editor.program.kill("SIGINT"), 130],
    ["SIGKILL", (editor: Editor) => editor.program.kill("SIGKILL"), null],
  ])("%s ends the agent and every server of 5 sessions, with prompts under way", async (_way, end, code) => {
    const folder = await temporaryFolder();
    const mark = marker();
    const http = await startCountingProxy((await startEverything("streamableHttp")).url);
    const { file } = await startModel();
    const editor = await startEditor({ args: ["--config", file] });
    const thirds = [mute(mark), ...Array.from({ length: 4 }, () => overHttp("up", http))];
    const sessions = await Promise.all(thirds.map((third) => openSession(editor, folder, mark, third)));
    // Each session has a well-behaved server, and one that refuses to end with its grandchild; one also has a mute
    // server.
    await until(() => processesWithMarker(mark).length >= 3 * 5 + 1, { describe: "the servers to run" });
    const [waiting = "", ...others] = sessions;
    await Promise.all(others.map((sessionId) => untilUp(editor, sessionId, ["up"])));
    for (const sessionId of sessions) void editor.prompt(sessionId, "wait for all").catch(() => undefined);
    await editor.waitFor(
      waiting,
      ({ sessionUpdate }) => sessionUpdate === "agent_thought_chunk",
      "waiting for the mute one",
    );
    end(editor);
    expect((await editor.program.exit).code).toBe(code);
    await untilGone(mark, http);
    // A killed agent cannot end its MCP sessions.
    expect(http.sessions().ended).toBe(code === null ? 0 : 4);
  });

  async function untilGone(mark: string, { sockets }: CountingProxy): Promise<void> {
    await until(() => processesWithMarker(mark).length === 0, { describe: "every server to be gone" });
    await until(() => sockets() === 0, { describe: "no socket to be left" });
  }
});

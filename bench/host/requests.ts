import { readFileSync } from "node:fs";
import { type ModelRequest, type ModelTool, streamRun } from "../../packages/core/src/index.ts";
import { createScriptedConnector } from "../../packages/core/src/testing/scripted-connector.ts";
import { asksFor, createScriptedModel, says, scriptedModels } from "../../packages/core/src/testing/scripted-model.ts";
import { createRandom } from "../../packages/core/src/testing/seeded-random.ts";
import { openScripted, readConfig } from "./governed-engine.ts";

export interface RequestsOptions {
  readonly dataRoot: string;
  /** A JSON list of tools, each with its `server`. */
  readonly file: string;
  readonly tools: number;
  /** Determines which servers and prompts are drawn. */
  readonly seed: number;
  readonly prompts: number;
}

export interface Requests {
  /** A request with every tool definition and no prompt. */
  readonly all: string;
  /** The first request of each prompt. */
  readonly first: readonly string[];
  /** The second request of each prompt, after three parallel tool searches. */
  readonly searched: readonly string[];
}

interface DrawnTool {
  readonly server: string;
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ModelTool["inputSchema"];
}

/** Captures, as text, the requests the engine sends to a model when it has `tools` tools of real servers. */
export async function captureRequests({ dataRoot, file, tools, seed, prompts }: RequestsOptions): Promise<Requests> {
  const random = createRandom(seed);
  const drawn = drawTools(JSON.parse(readFileSync(file, "utf8")), tools, random);
  const servers = [...new Set(drawn.map(({ server }) => server))];
  const config = readConfig({
    toolbox: { collisions: "qualify" },
    servers: Object.fromEntries(servers.map((server) => [server, { command: "none" }])),
  });
  const connector = createScriptedConnector(["stdio"]);
  for (const server of servers) connector.server(server).tools = drawn.filter((tool) => tool.server === server);
  const wishes = Array.from({ length: prompts }, () => toWish(drawn[Math.floor(random() * drawn.length)]));
  const model = createScriptedModel(
    wishes.flatMap((wish) => [asksFor(...[1, 2, 3].map((id) => searchFor(id, wish))), says("ok")]),
    { contextTokens: 200_000 },
  );
  const { host, engine, close } = await openScripted(config, dataRoot, connector, scriptedModels(model));
  await host.start();
  for (const wish of wishes)
    for await (const event of streamRun(engine, { prompt: [{ type: "text", text: wish }] }))
      if (event.type === "run-ended" && event.end.reason !== "done") throw new Error(JSON.stringify(event.end));
  const registered = await engine.tools.list();
  if (registered.length < tools * 0.95) throw new Error(`${registered.length} of ${tools} tools were registered.`);
  await close();
  const every = registered.map(({ shownName, tool }) => ({ ...tool, name: shownName }));
  return {
    all: toText({ tools: every, messages: [] }),
    first: model.requests.filter((_, index) => index % 2 === 0).map(toText),
    searched: model.requests.filter((_, index) => index % 2 === 1).map(toText),
  };
}

/** Draws whole servers, as people add them; only the last one may be cut short. */
function drawTools(all: readonly DrawnTool[], count: number, random: () => number): readonly DrawnTool[] {
  const places = new Map<string, number>();
  for (const { server } of all) if (!places.has(server)) places.set(server, random());
  const placeOf = ({ server }: DrawnTool) => places.get(server) ?? 0;
  return [...all].sort((a, b) => placeOf(a) - placeOf(b)).slice(0, count);
}

/** Makes a prompt that needs this tool: the first sentence of its description, cut to the length of a prompt. */
function toWish(tool: DrawnTool | undefined): string {
  const [sentence = ""] = (tool?.description ?? "").trim().split(/[.\n]/, 1);
  return sentence.slice(0, 200) || (tool?.name ?? "");
}

function searchFor(id: number, wish: string) {
  const words = wish.split(/\s+/);
  const query = words.slice(id - 1, id + 3).join(" ") || wish;
  return { id: `m${id}`, tool: "search_tools", arguments: { query } };
}

/** Formats a request the way vendors expect it, without white space. */
function toText({ tools, messages }: Pick<ModelRequest, "tools" | "messages">): string {
  const functions = tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    function: { name, description, parameters: inputSchema },
  }));
  const texts = messages.flatMap((message) =>
    message.role === "tool"
      ? message.results.map(({ text }) => text)
      : message.parts.map((part) => (part.type === "text" ? part.text : JSON.stringify(part))),
  );
  return [JSON.stringify(functions), ...texts].join("\n");
}

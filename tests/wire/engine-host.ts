// An engine in a process of its own, which speaks lines of JSON: engine-host.mjs <name of the contract's case>
// A line with `host` starts or stops the engine; every other line belongs to the wire protocol.
import { createInterface } from "node:readline";
import { serveEngine, systemClock } from "@tacklebox/core";
import {
  createScriptedModel,
  createTestEngine,
  scriptedModels,
  testDefinition,
  turnsOfCase,
} from "@tacklebox/core/testing";

const models = scriptedModels(createScriptedModel(turnsOfCase(process.argv[2] ?? "")));
const { host, connector, stopAnswering } = createTestEngine({
  servers: [testDefinition("echoer")],
  ports: { models, clock: systemClock },
});
stopAnswering();
connector.server("echoer").tools = [
  {
    name: "echo",
    inputSchema: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
  },
];
connector.server("guest").tools = [{ name: "greet", inputSchema: { type: "object" } }];

const send = (text: string) => void process.stdout.write(`${text}\n`);
let receiveText: (text: string) => void = () => undefined;
serveEngine(host.engine, {
  send,
  receive(listener) {
    receiveText = listener;
  },
});

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line) as { host?: "start" | "stop"; drainMs?: number };
  if (message.host === undefined) receiveText(line);
  if (message.host === "start") void host.start().then((report) => send(JSON.stringify({ host: report })));
  if (message.host === "stop") void host.stop(message.drainMs).then(() => send(JSON.stringify({ host: {} })));
});

import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clientInfo, definitionOf, LEGACY_SCRIPT } from "../testing/definitions.ts";
import { buildHostProgram, type HostProgram } from "../testing/host-program.ts";

/** Writes 200 MB on one line, or 100 MB of short lines to stderr, waiting for every write, and then answers. */
const SERVER = `${LEGACY_SCRIPT}
  import { writeSync } from "node:fs";
  const push = (to, bytes) => { for (let done = 0; done < bytes.length; ) try { done += writeSync(to, bytes, done); } catch (error) { if (error.code !== "EAGAIN") throw error; } };
  const repeat = (to, text, count) => { const bytes = Buffer.from(text); for (let i = 0; i < count; i += 1) push(to, bytes); };
  on["tools/call"] = (m) => {
    if (m.params.name === "stderr") repeat(2, ("y".repeat(99) + "\\n").repeat(1000), 1000);
    if (m.params.name === "line") {
      push(1, Buffer.from('{"jsonrpc":"2.0","id":"' + m.id + '","result":{"big":"'));
      repeat(1, "x".repeat(1_000_000), 200);
      push(1, Buffer.from('"}}\\n'));
    }
    send({ id: m.id, result: {} });
  };`;

const definition = definitionOf({
  transport: "stdio",
  command: process.execPath,
  args: ["--input-type=module", "-e", SERVER],
  env: {},
});

/** Makes one call and prints how it ended and the peak growth of memory. */
const HOST = `
import { readFileSync } from "node:fs";
import { createStdioConnector } from ${JSON.stringify(fileURLToPath(new URL("stdio-connector.ts", import.meta.url)))};

const never = new AbortController().signal;
let logged = 0;
const options = { knownEra: "legacy", onToolsChanged() {}, onClosed() {}, onServerLog: () => { logged += 1; } };
const connector = createStdioConnector({ clientInfo: ${JSON.stringify(clientInfo)}, environment: process.env });
const connection = await connector.open(${JSON.stringify(definition)}, options, never);
const call = (name) => connection.callTool({ name, arguments: {}, inputSchema: {}, signal: never }).answer;
await call("warm up");
const before = process.memoryUsage.rss();
const ending = await call(process.argv[2]).then(() => "answered", (error) => error.code);
// Not resourceUsage().maxRSS, which includes the process that this one was forked from.
const peakKb = Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]);
const grownMb = (peakKb * 1024 - before) / 2 ** 20;
await call("still there");
console.log(JSON.stringify({ ending, grownMb, logged }));
await connection.close();
`;

describe("memory while a server writes without limit", () => {
  let program: HostProgram;

  beforeAll(async () => {
    program = await buildHostProgram(HOST);
  });

  afterAll(() => program.remove());

  it("grows by less than 150 MB for one line of 200 MB, which fails its call only", async () => {
    const measured = await program.start("line").nextLine();
    expect(measured).toMatchObject({ ending: "oversize" });
    expect(measured).toHaveProperty(
      "grownMb",
      expect.toSatisfy((grown: number) => grown < 150),
    );
  });

  it("grows by less than 100 MB for 100 MB on stderr, of which few lines are logged", async () => {
    const measured = await program.start("stderr").nextLine();
    expect(measured).toMatchObject({ ending: "answered" });
    expect(measured).toHaveProperty(
      "grownMb",
      expect.toSatisfy((grown: number) => grown < 100),
    );
    expect(measured).toHaveProperty(
      "logged",
      expect.toSatisfy((lines: number) => lines >= 200 && lines < 100_000),
    );
  });
});

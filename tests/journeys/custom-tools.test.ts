import { readdir, readFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { callRecords } from "../support/call-records.ts";
import { runProgram } from "../support/program.ts";
import { releaseAfterwards } from "../support/release.ts";
import { parsed, toolboxFile } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

const CANARY = "canary-custom-0c1e";
const KEY = "mU0zqvBk3l2Q8d1m0nJkq7oY5cWb9pXeR4tGhVfZsLA=";

/** Starts an endpoint that answers with everything it was sent, including credentials. */
async function startEndpoint(): Promise<string> {
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method, headers } = request;
      const answer = { method, arguments: JSON.parse(Buffer.concat(chunks).toString()), sent: headers.authorization };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  releaseAfterwards(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}/weather`;
}

describe("F-304 a custom tool from the config file", () => {
  it("is listed, called with a stored secret and recorded without it", async () => {
    const data = await temporaryFolder();
    const env = { TACKLEBOX_DATA: data, TACKLEBOX_VAULT_KEY: KEY };
    const config = await toolboxFile({
      custom_tools: [
        {
          name: "weather",
          description: "The weather of a city",
          parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
          endpoint: await startEndpoint(),
          authentication: { type: "bearer", token: "${secret:WEATHER}" },
        },
      ],
    });
    await runProgram(["secret", "set", "WEATHER"], { env, stdin: CANARY });
    const listed = await runProgram(["tools", "--json", "--config", config], { env });
    expect(parsed(listed.stdout)).toMatchObject({ tools: [{ name: "weather", server: "custom" }] });

    const args = ["call", "custom", "weather", "--args", '{"city":"Lisbon"}', "--json", "--config", config];
    const called = await runProgram(args, { env });
    expect([called.code, called.stderr]).toEqual([0, ""]);
    expect(parsed(called.stdout)).toMatchObject({
      structured_content: { method: "POST", arguments: { city: "Lisbon" }, sent: "Bearer [redacted]" },
    });
    expect(await callRecords(data)).toMatchObject([{ server: "custom", tool: "weather", status: "success" }]);

    const files = (await readdir(data)).map((name) => readFile(join(data, name), "latin1"));
    const everything = [listed.stdout, called.stdout, ...(await Promise.all(files))].join("\n");
    expect(everything).not.toContain(CANARY);
  });
});

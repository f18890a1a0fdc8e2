import { describe, expect, it } from "vitest";
import { createFingerprinter, launchKey } from "../../catalog/fingerprint.ts";
import { serverAddress } from "../../domain/server.ts";
import { webHasher } from "../../platform/web-hasher.ts";
import { secretsOf } from "../../secrets/find-secrets.ts";
import { fillSecretNames, secretNamesIn } from "../../secrets/secret-reference.ts";
import { parseConfig } from "../parse-config.ts";

function parse(text: string) {
  return parseConfig(text, { file: "tacklebox.yaml", env: { TOKEN: "token-of-weather" } });
}

function problemsOf(text: string): readonly string[] {
  const parsed = parse(text);
  return parsed.kind === "ok" ? [] : parsed.problems.map(({ message }) => message);
}

function serversOf(text: string) {
  const parsed = parse(text);
  if (parsed.kind === "invalid") throw new Error(JSON.stringify(parsed.problems));
  return parsed.config.servers;
}

function customOf(text: string) {
  const [custom] = serversOf(text);
  if (custom === undefined || custom.launch.transport !== "custom") throw new Error("no custom tools");
  return { definition: custom, launch: custom.launch };
}

const tool = (rest: string) => `custom_tools: [{name: t, description: d, endpoint: "https://h/t"${rest}}]`;
const WEATHER = `
custom_tools:
  - name: weather
    description: The weather of a city
    parameters:
      type: object
      properties: { city: { type: string, pattern: "^\${not a variable}$" } }
    endpoint: https://example.com/weather?key=\${TOKEN}
    authentication: { type: bearer, token: "\${secret:WEATHER}" }
    headers: { x-trace: always-the-same }
    max_instances: 2
    timeout: PT5S
    approval: ask
    include: manual
  - { name: ping, description: Says pong, endpoint: "http://127.0.0.1:9/ping" }
`;

describe("the custom tools of a config file", () => {
  it("F-304 D.24 are one strict server, each with its address and its settings", () => {
    const [custom] = serversOf(WEATHER);
    expect(custom).toMatchObject({
      scope: "agent",
      key: "custom",
      mode: "strict",
      required: false,
      launch: {
        transport: "custom",
        tools: [
          {
            name: "weather",
            description: "The weather of a city",
            inputSchema: { type: "object", properties: { city: { type: "string", pattern: "^${not a variable}$" } } },
            url: "https://example.com/weather?key=token-of-weather",
            authentication: { type: "bearer", token: "${secret:WEATHER}" },
            headers: { "x-trace": "always-the-same" },
          },
          {
            name: "ping",
            url: "http://127.0.0.1:9/ping",
            inputSchema: { type: "object", properties: {} },
            authentication: { type: "none" },
          },
        ],
      },
      tools: [
        { name: "weather", server: "custom", maxInstances: 2, timeoutMs: 5_000, approval: "ask", include: "manual" },
        { name: "ping", server: "custom" },
      ],
    });
    expect(serversOf("servers: {}\ncustom_tools: []")).toEqual([]);
  });

  it.each([
    ["custom_tools: {a: {}}", "custom_tools must be a list of tools"],
    ["custom_tools: [weather]", "custom_tools[0] must be a map that describes one tool"],
    ["custom_tools: [{description: d, endpoint: 'https://h/t'}]", "name is missing"],
    [
      "custom_tools: [{name: 'a b', description: d, endpoint: 'https://h/t'}]",
      "name must have 1 to 50 letters, digits, _ or -",
    ],
    [
      `custom_tools: [{name: ${"n".repeat(51)}, description: d, endpoint: 'https://h/t'}]`,
      "name must have 1 to 50 letters, digits, _ or -",
    ],
    ["custom_tools: [{name: a, description: '', endpoint: 'https://h/t'}]", "description must not be empty"],
    [
      `custom_tools: [{name: a, description: ${"d".repeat(501)}, endpoint: 'https://h/t'}]`,
      "description must have at most 500 characters",
    ],
    ["custom_tools: [{name: a, description: d}]", "endpoint is missing"],
    [
      "custom_tools: [{name: a, description: d, endpoint: 'ftp://h/t'}]",
      "The endpoint of custom tool 'a' must start with http:// or https://",
    ],
    [
      "custom_tools: [{name: a, description: d, endpoint: 'http://h/t'}]",
      "Custom tool 'a' must be reached over https; plain http is for this machine only, or set allow_insecure_http: true if the network is trusted",
    ],
    [
      "custom_tools: [{name: a, description: d, endpoint: 'http://h/t', authentication: {type: bearer, token: abc}}]",
      "Custom tool 'a' would receive credentials over plain http, where others can read them; use https, or set allow_insecure_http: true if the network is trusted",
    ],
    [tool(", parameters: {type: string}"), "The parameters of custom tool 't' must be a JSON Schema with type: object"],
    [
      tool(", parameters: {type: object, properties: {a: {type: text}}}"),
      "The parameters of custom tool 't' are not valid JSON Schema: /properties/a/type is not a JSON Schema type",
    ],
    [tool(", parameter: {}"), "Unknown key 'parameter'. Did you mean 'parameters'?"],
    [tool(", timeout: soon"), "timeout must be a duration such as PT30S, 00:00:30 or 30 (a plain number is seconds)"],
    [
      tool(", description: '${secret:S}'").replace("description: d, ", ""),
      "A stored secret (${secret:…}), used by custom tool 't', may not stand in 'description'. It may in headers, authentication and the path or query of the endpoint",
    ],
    [
      "custom_tools: [{name: a, description: d, endpoint: 'https://${secret:HOST}/t'}]",
      "A stored secret (${secret:…}), used by custom tool 'a', may stand only in the path or query of the url, not before them and not behind #",
    ],
    [
      `${tool("")}\nservers: {custom: {command: x}}`,
      "No server may be called 'custom' in a file with 'custom_tools', whose tools belong to a server with that name; rename it",
    ],
    [
      `${tool("")}\ntoolbox: {tools: [{name: t, server: custom}]}`,
      "Tool 't' has its settings in 'custom_tools'; move these there",
    ],
  ])("C1.7 %s is a problem", (text, message) => {
    expect(problemsOf(text)).toEqual([message]);
  });

  it("refuses a repeated name, with its position", () => {
    const text =
      "custom_tools:\n  - {name: a, description: d, endpoint: 'https://h/1'}\n  - {name: a, description: d, endpoint: 'https://h/2'}";
    expect(parse(text)).toMatchObject({
      kind: "invalid",
      problems: [{ line: 3, column: 12, message: "Tool 'a' is in 'custom_tools' twice; names must be unique" }],
    });
  });

  it("may use plain http if the file allows it; without them, a server may be called custom", () => {
    expect(
      problemsOf("custom_tools: [{name: a, description: d, endpoint: 'http://h/t', allow_insecure_http: true}]"),
    ).toEqual([]);
    expect(problemsOf("servers: {custom: {command: x}}")).toEqual([]);
  });

  it("have their secrets recognized, filled in and kept out of their address", () => {
    const { definition, launch } = customOf(WEATHER);
    expect(secretsOf(definition).sort()).toEqual(["always-the-same", "token-of-weather"]);
    expect(secretNamesIn(launch)).toEqual(["WEATHER"]);
    const filled = fillSecretNames(launch, new Map([["WEATHER", "w-secret"]]));
    expect(secretsOf({ ...definition, launch: filled }).sort()).toEqual([
      "always-the-same",
      "token-of-weather",
      "w-secret",
    ]);
    expect(serverAddress(definition)).toBe("the endpoints in custom_tools");
  });

  it("are each fingerprinted by their own address: moving one does not void the approval of another", async () => {
    const fingerprints = async (text: string) => {
      const { launch } = customOf(text);
      const fingerprintOf = createFingerprinter(launch, webHasher);
      return Promise.all(
        launch.tools.map(({ name, description, inputSchema }) =>
          fingerprintOf({ name, description, inputSchema, raw: { name, description, inputSchema } }),
        ),
      );
    };
    const [weather, ping] = await fingerprints(WEATHER);
    const [movedWeather, samePing] = await fingerprints(WEATHER.replace("example.com", "elsewhere.example.com"));
    expect([movedWeather === weather, samePing === ping]).toEqual([false, true]);
    const [rotated] = await fingerprints(WEATHER.replace("secret:WEATHER", "secret:OTHER"));
    expect(rotated).toBe(weather);
  });

  it("of two files do not share an inventory", async () => {
    const keyOf = (text: string) => launchKey(customOf(text).definition, webHasher);
    expect(await keyOf(WEATHER)).not.toBe(await keyOf(tool("")));
  });
});

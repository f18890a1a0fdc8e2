import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseConfig } from "../parse-config.ts";
import type { ConfigDemands, Demand } from "./demand.ts";
import { findDemands } from "./find-demands.ts";

function demandsOf(root: unknown): ConfigDemands {
  const found = findDemands(JSON.stringify(root), "tacklebox.yaml");
  if (found.kind === "invalid") throw new Error(JSON.stringify(found.problems));
  return found.demands;
}

function shown({ what, name, lines }: Demand): string[] {
  return [`${what} ${name}`, ...lines.map(({ label, text }) => `${label} ${text}`)];
}

describe("what a config file asks for", () => {
  it("lists launches, addresses, variables, names of secrets, instructions, approvals and the call log, as written", () => {
    const { entries, variables, secrets } = demandsOf({
      servers: {
        a: {
          ...{ command: "npx", args: ["-y", "${PACKAGE:-x}", 7], cwd: "/w", enabled: false, approval: "auto" },
          env: { TOKEN: "${secret:gh}", LANG: "${env:LANG}", MONEY: "$${NOT}" },
        },
        b: { url: "https://${HOST}/x", headers: { A: "hidden" }, authentication: { type: "bearer", token: "hidden" } },
      },
      models: { m: { vendor: "openai", model: "x", api_key: "${KEY}" }, l: { base_url: "http://localhost/v1" } },
      custom_tools: [{ name: "t", endpoint: "https://e", headers: { B: "hidden" } }],
      gpts: { g: { approval: "auto", trusted_tools: ["a:x"] }, quiet: { instructions: "${IN_TEXT}" } },
      toolbox: { tools: [{ name: "x", approval: "auto" }, { name: "y" }] },
      calls: { keep: "P1D" },
    });
    expect(entries.map(shown)).toEqual([
      [
        "server a",
        ...["command npx", "command -y", "command ${PACKAGE:-x}", "command 7", "folder /w"],
        ...["env TOKEN=${secret:gh}", "env LANG=${env:LANG}", "env MONEY=$${NOT}"],
        ...["reads LANG", "reads PACKAGE", "secret gh"],
        ...["approval auto", "state switched off"],
      ],
      ["server b", "url https://${HOST}/x", "headers A: …", "sign-in bearer", "reads HOST"],
      ["model m", "url the address of openai", "reads KEY"],
      ["model l", "url http://localhost/v1"],
      ["custom tool t", "url https://e", "headers B: …"],
      ["GPT g", "approval auto", "approval a:x"],
      ["GPT quiet", "instructs ${IN_TEXT}"],
      ["tool x", "approval auto"],
      ["call log ", "keeps keep: P1D"],
    ]);
    expect(variables).toEqual(["HOST", "IN_TEXT", "KEY", "LANG", "PACKAGE"]);
    expect(secrets).toEqual(["gh"]);
    expect(JSON.stringify(entries)).not.toContain("hidden");
  });

  it.each([
    ["mcpServers", { mcpServers: { a: { command: "x", args: ["1"] } } }],
    ["VS Code", { servers: { a: { type: "stdio", command: "x", args: ["1"] } } }],
    ["Zed", { context_servers: { a: { command: { path: "x", args: ["1"] } } } }],
    ["gateway", { tools: { mcp_servers: { a: { command: "x", args: ["1"] } } } }],
  ])("reads the dialect of %s", (_dialect, root) => {
    expect(demandsOf(root).entries.map(shown)).toEqual([["server a", "command x", "command 1"]]);
  });

  it("reads the dialect of toolboxes", () => {
    const root = { myai: { toolbox: { mcps: [{ name: "a", serverUrl: "no", url: "https://x" }] } } };
    expect(demandsOf(root).entries.map(shown)).toEqual([["server a", "url https://x"]]);
  });

  const FOLDER = new URL("../../../../../tests/fixtures/configs/", import.meta.url);
  it.each(readdirSync(FOLDER).filter((name) => /\.(json|ya?ml)$/.test(name)))(
    "shows every launch that %s would have",
    (file) => {
      const text = readFileSync(new URL(file, FOLDER), "utf8");
      const env = new Proxy({}, { getOwnPropertyDescriptor: present, get: (_, name) => `\${${String(name)}}` });
      const parsed = parseConfig(text, { file, env });
      const found = findDemands(text, file);
      const launches = parsed.kind === "ok" ? parsed.config.servers.map(({ launch }) => launch) : [];
      const texts = new Set(
        found.kind === "ok" ? found.demands.entries.flatMap(({ lines }) => lines.map(({ text }) => text)) : [],
      );
      for (const launch of launches) {
        const wanted = "command" in launch ? [launch.command, ...launch.args] : "url" in launch ? [launch.url] : [];
        for (const part of wanted.filter((part) => !part.includes("${"))) expect(texts).toContain(part);
      }
    },
  );

  it("keeps credentials out of what may be stored", () => {
    const { entries } = demandsOf({
      servers: {
        a: { command: "x", args: ["--token", "canary-one-1", "--keep", "this", "redis://u:canary-two@h"] },
        b: { url: "https://u:canary-three@h/?api_key=canary-four-4" },
        c: { command: "x", args: ["--token", 12345678], env: { PIN_TOKEN: 12345678, NONE: null } },
      },
      gpts: { g: { instructions: "Log in with:\npassword=canary-five" } },
    });
    const storable = entries.flatMap(({ lines }) => lines.map((line) => line.storable));
    expect(storable).toEqual([
      ...["x", "--token", "…", "--keep", "this", "redis://u:…@h", "https://u:…@h/?api_key=…"],
      ...["x", "--token", "…", "PIN_TOKEN=…", "NONE", "Log in with:", "password=…"],
    ]);
  });

  it("refuses what cannot be parsed, and what aliases make too long to be shown", () => {
    expect(findDemands("servers: [", "tacklebox.yaml").kind).toBe("invalid");
    const aliases = Array.from({ length: 9_000 }, () => "*t").join(",");
    const long = `t: &t "${"x".repeat(100_000)}"\nservers: { a: { command: x, args: [${aliases}] } }\n`;
    expect(findDemands(long, "tacklebox.yaml")).toEqual({
      kind: "invalid",
      problems: [
        {
          file: "tacklebox.yaml",
          message: "The aliases in this file make it too long to be shown whole; write fewer.",
        },
      ],
    });
  });

  it("is not slowed down by braces that never close", () => {
    expect(demandsOf({ servers: { a: { command: "${".repeat(250_000) } } }).variables).toEqual([]);
  });
});

function present(): PropertyDescriptor {
  return { configurable: true, enumerable: false, value: "" };
}

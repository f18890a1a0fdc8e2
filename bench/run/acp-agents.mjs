// @ts-check
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { npmProgram } from "../../scripts/install.mjs";
import { runNode } from "../../scripts/run.mjs";

/** Agents by other vendors, as of November 2026, and what each needs to open a session without a network. */
const AGENTS = [
  {
    package: "@agentclientprotocol/claude-agent-acp@0.99.1",
    file: "@agentclientprotocol/claude-agent-acp/dist/index.js",
    args: [],
    env: { ANTHROPIC_API_KEY: "none", IS_SANDBOX: "1" },
  },
  {
    package: "@agentclientprotocol/codex-acp@2.6.0",
    file: "@agentclientprotocol/codex-acp/dist/index.js",
    args: [],
    env: { OPENAI_API_KEY: "none", CODEX_API_KEY: "none" },
    authenticate: "api-key",
  },
  { package: "opencode-ai@1.18.33", file: "opencode-ai/bin/opencode.exe", args: ["acp"], env: {}, isBinary: true },
  {
    package: "@google/gemini-cli@0.61.0",
    file: "@google/gemini-cli/bundle/gemini.js",
    args: ["--experimental-acp"],
    env: { GEMINI_API_KEY: "none" },
  },
];

/**
 * Installs the agents that are missing; reports and leaves out any that cannot be installed.
 *
 * @param {string} folder where they are installed
 * @param {string} work their working and home directory
 * @param {(line: string) => void} say
 * @returns {Promise<import("../measure/acp-client.mjs").AgentProgram[]>}
 */
export async function installAgents(folder, work, say) {
  const home = join(work, "agents-home");
  mkdirSync(join(home, ".gemini"), { recursive: true });
  const gemini = { security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } } };
  writeFileSync(join(home, ".gemini/settings.json"), JSON.stringify(gemini));
  const programs = [];
  for (const { package: name, file, args, env, isBinary, authenticate } of AGENTS) {
    const prefix = join(folder, name.replace(/[^\w.-]+/g, "_"));
    const program = join(prefix, "node_modules", file);
    if (!existsSync(program)) {
      say(`installing ${name}`);
      mkdirSync(prefix, { recursive: true });
      writeFileSync(join(prefix, "package.json"), '{ "private": true }\n');
      const install = ["--prefix", prefix, "install", name, "--no-fund", "--no-audit", "--engine-strict=false"];
      const { code, output } = await runNode([npmProgram(), ...install, "--loglevel=error"], { capture: true });
      if (code !== 0) {
        say(`${name} could not be installed: ${output.trim().split("\n").at(-1)}`);
        continue;
      }
    }
    programs.push({
      name,
      command: isBinary ? program : process.execPath,
      args: isBinary ? args : [program, ...args],
      cwd: work,
      env: { PATH: process.env.PATH, HOME: home, ...env },
      ...(authenticate !== undefined && { authenticate }),
    });
  }
  return programs;
}

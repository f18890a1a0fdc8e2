import { runProgram } from "../../support/program.ts";

/** How a command is tried in a hostile repository. */
export interface TriedCommand {
  /** As typed, such as `gpt list`. */
  readonly line: string;
  readonly args: readonly string[];
  readonly stdin?: string;
  /** `config`: uses the config file, so it refuses one that nobody agreed to. `none`: goes on without it. */
  readonly needs: "config" | "none";
}

type Manner = Omit<TriedCommand, "line" | "args"> & { readonly args?: readonly string[] };

const EDITOR = [
  { id: 1, method: "initialize", params: { protocolVersion: 1, clientCapabilities: {} } },
  { id: 2, method: "session/new", params: { cwd: "/", mcpServers: [] } },
];
const EDITOR_LINES = EDITOR.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("");

const config = (...args: readonly string[]): Manner => ({ needs: "config", args });
const none = (...args: readonly string[]): Manner => ({ needs: "none", args });

/** Every command has to be here: a new one is tried too, or the corpus fails. */
const MANNERS: Readonly<Record<string, Manner>> = {
  check: config(),
  servers: config(),
  tools: config(),
  call: config("evil", "take"),
  calls: none(),
  why: config("take"),
  trust: config("evil"),
  chat: { needs: "config", stdin: "hello\n" },
  search: config("take"),
  run: config("hello", "--approve", "auto"),
  acp: { needs: "none", stdin: EDITOR_LINES },
  resources: config(),
  read: config("evil", "file:///etc/passwd"),
  prompts: config(),
  init: none("--yes", "--enable"),
  import: none("vscode", "--enable"),
  add: config("mine", "--command", "true"),
  remove: config("evil"),
  enable: config("evil"),
  disable: config("evil"),
  allow: none(),
  deny: none(),
  "model list": config(),
  "model test": config(),
  "gpt list": config(),
  "gpt show": config("helper"),
  "gpt add": config("mine", "--instructions", "Be kind."),
  "gpt remove": config("helper"),
  "sessions list": none(),
  "sessions show": none("x"),
  "sessions remove": none("x"),
  "grants list": none(),
  "grants revoke": none("x"),
  "secret set": { needs: "none", args: ["mine"], stdin: "something-else" },
  "secret list": none(),
  "secret remove": none("x"),
  "secret rotate": none(),
  doctor: none(),
  completion: none("bash"),
  help: none(),
};

/** Commands with options that change what they do. */
const FURTHER: readonly TriedCommand[] = [
  { line: "", args: [], needs: "none" },
  { line: "--help", args: ["--help"], needs: "none" },
  { line: "__complete", args: ["__complete", "bash", "tacklebox", "call", ""], needs: "none" },
  { line: "call --stdin", args: ["call", "--stdin"], stdin: '{"server":"evil","tool":"take"}\n', needs: "config" },
];

/** Every command that the program's help lists. */
export async function listCommands(): Promise<readonly TriedCommand[]> {
  const lines = await Promise.all((await namesIn([])).map(linesOf));
  return [...lines.flat().map(toTried), ...FURTHER];
}

function toTried(line: string): TriedCommand {
  const manner = MANNERS[line];
  if (manner === undefined)
    throw new Error(`Say in commands.ts how \`tacklebox ${line}\` is tried in a hostile folder`);
  return { ...manner, line, args: [...line.split(" "), ...(manner.args ?? [])] };
}

/** A command that is not known here is a group, or is missing here: then it has no commands of its own. */
async function linesOf(name: string): Promise<readonly string[]> {
  if (MANNERS[name] !== undefined) return [name];
  const inner = (await namesIn([name])).filter((each) => each !== "help");
  return inner.length === 0 ? [name] : inner.map((each) => `${name} ${each}`);
}

/** Help lists commands under headings; options, examples and exit codes do not begin like a command. */
async function namesIn(group: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await runProgram([...group, "--help"]);
  const names = [...stdout.matchAll(/^ {2}(?!tacklebox )([a-z]+) {2,}\S/gm)].map(([, name = ""]) => name);
  if (group.length === 0 && names.length < 20) throw new Error(`Help lists only: ${names.join(", ")}`);
  return names;
}

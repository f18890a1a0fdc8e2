// @ts-check
// npm run texts: prints the program's own texts on one page: the help of every command, errors, empty states.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureInstalled } from "./install.mjs";
import { ensureBuilt } from "./prepare.mjs";
import { exitWith, root } from "./run.mjs";

const program = join(root, "apps/tacklebox/bin/tacklebox.js");
const everything = join(root, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");

/** Files that the command lines below may name. */
const FILES = {
  "empty.yaml": "servers: {}\n",
  "one.yaml": `servers:\n  everything: { command: node, args: ["${everything}"] }\n`,
  "broken.yaml": "servers:\n  files: { comand: npx, timeout: soon }\n",
  "not-yaml.yaml": "servers: [\n",
  "gone.yaml": "servers:\n  gone: { command: no-such-program, required: true }\n",
  "down.yaml": "servers:\n  gone: { command: no-such-program }\n",
  "asks.yaml": `servers:\n  everything: { command: node, args: ["${everything}"], approval: ask }\n`,
  "missing-variable.yaml":
    "servers:\n  crm: { url: 'https://crm.example.com/mcp', headers: { Authorization: 'Bearer ${CRM_TOKEN}' } }\n",
};

/** Command lines as a person types them; the text after `<` is piped in. */
const ERRORS = [
  "check",
  "chek",
  "check --config nowhere.yaml",
  "check --config not-yaml.yaml",
  "check --config broken.yaml",
  "check --config missing-variable.yaml",
  "check --config gone.yaml",
  "chat --config gone.yaml < hello",
  "chat --gpt nobody --config empty.yaml < hello",
  "chat --model nobody --config empty.yaml < hello",
  "chat --session nothing --config empty.yaml < hello",
  "chat --approve maybe --config empty.yaml",
  "servers --config down.yaml",
  "tools --server files --config empty.yaml",
  "tools everything.get-sum --config one.yaml",
  "tools get-sun --config one.yaml",
  "calls nothing",
  "call",
  "call everything --config one.yaml",
  "call everything no_such_tool --config one.yaml",
  "call nobody echo --config one.yaml",
  "call everything echo --config one.yaml",
  "call everything echo mesage=x --config one.yaml",
  "call everything get-sum a=one b=2 --config one.yaml",
  "call everything.get-sum a=1 --config one.yaml",
  "call everything echo hello --config one.yaml",
  "call everything echo --args {message --config one.yaml",
  'call everything echo --args {"message":7} --config one.yaml',
  'call everything echo --args {"message":"x"} --config asks.yaml',
  "run --config empty.yaml",
  "run hello --model nobody --config empty.yaml",
  "run hello --gpt nobody --config empty.yaml",
  "run hello --session nothing --config empty.yaml",
  "why no_such_tool --config one.yaml",
  "trust nobody --config one.yaml",
  "read everything nothing://here --config one.yaml",
  "gpt show nobody --config empty.yaml",
  "gpt remove nobody --config empty.yaml",
  "sessions show nothing",
  "sessions remove nothing",
  "grants revoke nothing",
  "model test nobody --config empty.yaml",
  "secret remove NOTHING",
  "secret set lower-case! < value",
  "init --here --config x.yaml",
  "import nobody",
  "add files --config empty.yaml",
  "remove nobody --config empty.yaml",
  "enable nobody --config empty.yaml",
  "completion tcsh",
  "allow",
  "allow nowhere.yaml",
  "allow not-yaml.yaml",
  "deny",
];

/** In a folder with a config file that nobody agreed to. */
const FOUND = ["tools", "add files --command npx", "doctor", "allow", "allow --json", "deny"];
const FOUND_FILE = `servers:
  files: { command: npx, args: [-y, "files  and more"], env: { TOKEN: "\${secret:files}" } }
  crm: { url: "https://\${CRM_HOST}/mcp", enabled: false }
calls: { keep: P1D }
`;

const EMPTY_STATES = [
  "init",
  "check --config empty.yaml",
  "servers --config empty.yaml",
  "tools --config empty.yaml",
  "search words --config empty.yaml",
  "calls",
  "calls verify",
  "sessions list",
  "grants list",
  "secret list",
  "gpt list --config empty.yaml",
  "model list --config empty.yaml",
  "resources --config empty.yaml",
  "prompts --config empty.yaml",
  "run hello --config empty.yaml",
  "chat --config empty.yaml < /tools",
  "chat --config empty.yaml < /servers",
  "chat --config empty.yaml < /sessions",
  "chat --config empty.yaml < /gpt",
  "chat --config empty.yaml < /model",
  "chat --config empty.yaml < /show",
  "chat --config empty.yaml < /why",
  "chat --config empty.yaml < /nope",
  "chat --config empty.yaml < /help",
  "doctor --config empty.yaml",
  "doctor --repair",
];

await exitWith(async () => {
  await ensureInstalled();
  await ensureBuilt();
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "tacklebox-texts-")));
  try {
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
    const found = join(folder, "found");
    mkdirSync(found);
    writeFileSync(join(found, "tacklebox.yaml"), FOUND_FILE);
    const page = [
      "# Everything the program says\n",
      "## Help\n",
      ...(await everyHelp("", folder)),
      "## Errors\n",
      ...(await inTurn(ERRORS, folder)),
      "## A config file found in the folder\n",
      ...(await inTurn(FOUND, found)),
      "## Empty states\n",
      ...(await inTurn(EMPTY_STATES, folder)),
    ];
    process.stdout.write(page.join("\n"));
    return 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/**
 * Returns the help of a command and of all subcommands that its help lists.
 *
 * @param {string} command
 * @param {string} folder
 * @returns {Promise<string[]>}
 */
async function everyHelp(command, folder) {
  const { text, block } = await runLine(`${command} --help`.trim(), folder);
  // Commands come under headings of several kinds, after the options and before the examples.
  const [, list = ""] = /^Options:\n(?: {2}.*\n)*([\s\S]*?)^Example/m.exec(text) ?? [];
  const names = [...list.matchAll(/^ {2}(\w+)/gm)].map(([, name = ""]) => name).filter((name) => name !== "help");
  const below = [];
  for (const name of names) below.push(...(await everyHelp(`${command} ${name}`.trim(), folder)));
  return [block, ...below];
}

/**
 * @param {readonly string[]} lines
 * @param {string} folder
 */
async function inTurn(lines, folder) {
  const blocks = [];
  for (const line of lines) blocks.push((await runLine(line, folder)).block);
  return blocks;
}

/**
 * @param {string} line
 * @param {string} folder
 * @returns {Promise<{ text: string, block: string }>}
 */
function runLine(line, folder) {
  const [words = "", input = ""] = line.split(" < ");
  // A new home for each line, so that no line sees what another left behind.
  const home = mkdtempSync(join(folder, "home-"));
  const env = { PATH: process.env.PATH, HOME: home };
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [program, ...words.split(" ")],
      { cwd: folder, env },
      (error, out, err) => {
        const text = `${out}${err}`.replaceAll(home, "~").replaceAll(folder, ".").replaceAll(root, "…");
        const piped = input === "" ? "" : `printf '${input}' | `;
        const block = `\`\`\`text\n$ ${piped}tacklebox ${words}\n${text.trimEnd()}\n[exit ${error?.code ?? 0}]\n\`\`\`\n`;
        resolve({ text, block });
      },
    );
    // A command that refuses its options ends without having read anything.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input === "" ? "" : `${input}\n`);
  });
}

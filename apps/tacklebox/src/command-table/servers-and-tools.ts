import { InvalidArgumentError } from "commander";
import {
  anyArguments,
  argument,
  count,
  flag,
  oneOf,
  optionalArgument,
  parsed,
  text,
} from "../command-line/parameters.ts";
import { type Checked, type CommandRow, checkedCommand, command } from "../command-line/row.ts";
import { parseCallWords } from "../commands/call/call-words.ts";
import type { CallOptions } from "../commands/call.ts";
import type { ToolsOptions } from "../commands/tools.ts";
import { JSON_SHAPES } from "../output/json/json-shapes.ts";
import { VERIFY_JSON_SHAPE } from "../output/json/verify-json.ts";
import { metricsPort } from "./metrics-port.ts";

const STATUSES = ["pending", "running", "success", "error"] as const;

/** The commands about servers, their tools and calls. */
export const SERVERS_AND_TOOLS: readonly CommandRow[] = [
  command({
    name: "check",
    section: "Servers",
    summary: "load the config, connect every server, and report problems",
    example: "tacklebox check --config tacklebox.yaml",
    json: JSON_SHAPES.check,
    takes: { requireAll: flag("--require-all", "exit 1 if any server is down, required or not") },
    load: () => import("../commands/check.ts"),
  }),

  command({
    name: "servers",
    section: "Servers",
    summary: "show the status of every server",
    example: "tacklebox servers --json",
    json: JSON_SHAPES.servers,
    takes: {},
    load: () => import("../commands/servers.ts"),
  }),

  checkedCommand({
    name: "tools",
    section: "Tools and calls",
    summary: "list the tools that can be called, or describe one",
    example: "tacklebox tools files read_file",
    json: JSON_SHAPES.tools,
    more: `
Given a tool's name, it shows the arguments with their types, the limits, what the server claims about the tool, and an
example that you can paste.`,
    takes: {
      tool: anyArguments("one tool, as SERVER TOOL, SERVER.TOOL or its name alone; or a server, to list its tools"),
      server: text("--server <name>", "only the tools of this server"),
    },
    check({ tool, ...given }): Checked<ToolsOptions> {
      const most = given.server === undefined ? 2 : 1;
      if (tool.length > most) return { kind: "refused", message: `unexpected argument '${tool[most]}'` };
      return { kind: "ok", options: { ...given, names: tool } };
    },
    load: () => import("../commands/tools.ts"),
  }),

  checkedCommand({
    name: "call",
    section: "Tools and calls",
    summary: "call a tool, or many with --stdin",
    example: "tacklebox call files read_file path=notes.txt",
    json: JSON_SHAPES.call,
    more: `
Name the tool as SERVER TOOL, as SERVER.TOOL, or by its name alone, as \`tacklebox tools\` lists it. If you name its
server, only that server and the required ones are started.

Write each argument as name=value. The tool's schema decides its type: limit=5 is a number if the tool expects one, and
text if it expects text. Repeat a name to build a list (tag=a tag=b), use a dot to set a member of an object
(options.depth=2), and write name:=JSON to give a value as JSON. You can also pass all arguments as one JSON object, as
a word or with --args; name=value arguments are then added to it and take precedence. \`tacklebox tools NAME\` shows what
a tool accepts.

With --stdin, each input line is a call:
  {"id"?, "server"?, "tool", "arguments"?}
The calls run at the same time. Each is answered with one line of the JSON below as soon as it ends, with the same "id".
A line that cannot be read is answered with status "error" and ending "invalid-arguments".

Exit codes with --stdin: 0 once the input has ended, however the calls ended. SIGTERM stops reading and gives running
calls up to 10 s to end (exit 0). Ctrl-C cancels them (exit 130).`,
    takes: {
      tool: optionalArgument("the tool, as SERVER TOOL, SERVER.TOOL or its name alone"),
      arguments: anyArguments("its arguments, each as name=value or all as one JSON object"),
      args: text("--args <json>", "the arguments as a JSON object, or - to read them from stdin"),
      stdin: flag("--stdin", "read calls from stdin, one JSON object per line"),
      metricsPort: metricsPort("with --stdin: "),
    },
    check({ tool, arguments: rest, args, stdin, metricsPort: port, ...common }): Checked<CallOptions> {
      if (stdin) {
        if (tool === undefined && args === undefined)
          return { kind: "ok", options: { ...common, from: "stdin", metricsPort: port } };
        const message = "--stdin takes server, tool and arguments from its input lines, not from the command line";
        return { kind: "refused", message };
      }
      if (port !== undefined) return { kind: "refused", message: "--metrics needs --stdin" };
      const parsed = parseCallWords([...(tool === undefined ? [] : [tool]), ...rest], args);
      if (parsed.kind === "refused") return parsed;
      return { kind: "ok", options: { ...common, from: "command-line", ...parsed.words } };
    },
    load: () => import("../commands/call.ts"),
  }),

  command({
    name: "calls",
    section: "Tools and calls",
    summary: "show past calls, newest first, or one call in full",
    example: "tacklebox calls 0199f7d2-5a8e",
    json: JSON_SHAPES.calls,
    more: `
No server is started. With an id, or the beginning of one, it shows that call: its arguments and result, who asked for
it, why it was allowed, and where its time went.

With --follow, the newest call comes last; then each new call is shown when it starts and again whenever its status
changes, until you press Ctrl-C. Add --json to get one call per line.`,
    takes: {
      id: optionalArgument("one call, by its id or the beginning of it"),
      server: text("--server <name>", "only calls to this server"),
      tool: text("--tool <name>", "only calls of this tool, by its name on the server"),
      status: oneOf("--status <status>", "only calls with this status", STATUSES),
      limit: count("--limit <count>", "show at most this many", 20),
      follow: flag("--follow", "keep showing new calls as they are made"),
    },
    below: [
      command({
        name: "verify",
        summary: "check that nobody has tampered with the call log",
        example: "tacklebox calls verify --expect HASH",
        json: VERIFY_JSON_SHAPE,
        more: `
Every call that ends is added to a chain of hashes in the call log. This command compares each call with the chain and
reports those that were changed, added or removed. Calls that were deleted for their age or number are only counted.

Somebody who can write to the file can also recompute every hash, or cut off the last ones. To notice that as well, keep
the head that this command prints in another place, and pass it to --expect later.

Exit codes: 0 intact, 1 tampered with or damaged.`,
        takes: {
          expect: parsed("--expect <hash>", "fail unless this head, printed earlier, is still in the chain", toHash),
        },
        load: () => import("../commands/calls/verify.ts"),
      }),
    ],
    load: () => import("../commands/calls.ts"),
  }),

  command({
    name: "why",
    section: "Tools and calls",
    summary: "explain why a tool can or cannot be called",
    example: "tacklebox why read_file",
    json: JSON_SHAPES.why,
    takes: {
      tool: argument("the tool, by its name here or on its server"),
      server: text("--server <name>", "only look at this server"),
    },
    load: () => import("../commands/why.ts"),
  }),

  command({
    name: "trust",
    section: "Trust and secrets",
    summary: "show how a server's tools changed, and accept their new definitions",
    example: "tacklebox trust files read_file",
    json: JSON_SHAPES.trust,
    takes: {
      server: argument("the server"),
      tool: optionalArgument("only this tool, by its name on the server"),
      yes: flag("--yes", "accept without asking, for scripts"),
    },
    load: () => import("../commands/trust.ts"),
  }),
];

/** Half a hash would not be found, and the log would be said to have been tampered with. */
function toHash(value: string): string {
  if (!/^[0-9a-f]{64}$/i.test(value))
    throw new InvalidArgumentError("It must be a whole head, 64 digits and letters from a to f, as printed earlier.");
  return value.toLowerCase();
}

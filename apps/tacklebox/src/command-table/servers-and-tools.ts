import { InvalidArgumentError } from "commander";
import { argument, count, flag, oneOf, optionalArgument, parsed, text } from "../command-line/parameters.ts";
import { type Checked, type CommandRow, checkedCommand, command } from "../command-line/row.ts";
import type { CallOptions } from "../commands/call.ts";
import { JSON_SHAPES } from "../output/json/json-shapes.ts";
import { VERIFY_JSON_SHAPE } from "../output/json/verify-json.ts";

const STATUSES = ["pending", "running", "success", "error"] as const;

/** The commands about servers, their tools and calls. */
export const SERVERS_AND_TOOLS: readonly CommandRow[] = [
  command({
    name: "check",
    section: "Servers",
    summary: "load the config, connect every server, and report problems",
    example: "tacklebox check --config tacklebox.yaml",
    json: JSON_SHAPES.check,
    takes: {},
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

  command({
    name: "tools",
    section: "Tools and calls",
    summary: "list the tools that can be called, with their limits",
    example: "tacklebox tools --server files",
    json: JSON_SHAPES.tools,
    takes: { server: text("--server <name>", "only the tools of this server") },
    load: () => import("../commands/tools.ts"),
  }),

  checkedCommand({
    name: "call",
    section: "Tools and calls",
    summary: "call a tool, or many with --stdin",
    example: `tacklebox call files read_file --args '{"path":"notes.txt"}'`,
    json: JSON_SHAPES.call,
    more: `
With --stdin, each input line is a call:
  {"id"?, "server"?, "tool", "arguments"?}
The calls run at the same time. Each is answered with one line of the JSON below as soon as it ends, with the same "id".
A line that cannot be read is answered with status "error" and ending "invalid-arguments".

Exit codes with --stdin: 0 once the input has ended, however the calls ended. SIGTERM stops reading and gives running
calls up to 10 s to end (exit 0). Ctrl-C cancels them (exit 130).`,
    takes: {
      server: optionalArgument("the tool's server"),
      tool: optionalArgument("the tool's name"),
      args: text("--args <json>", "the arguments as a JSON object, or - to read them from stdin"),
      stdin: flag("--stdin", "read calls from stdin, one JSON object per line"),
      metrics: parsed(
        "--metrics <port>",
        "with --stdin: serve Prometheus metrics on this port of 127.0.0.1 (0: any free port)",
        parsePort,
      ),
    },
    check({ server, tool, args, stdin, metrics, ...common }): Checked<CallOptions> {
      if (stdin) {
        if (server === undefined && args === undefined)
          return { kind: "ok", options: { ...common, from: "stdin", metricsPort: metrics } };
        const message = "--stdin takes server, tool and arguments from its input lines, not from the command line";
        return { kind: "refused", message };
      }
      if (metrics !== undefined) return { kind: "refused", message: "--metrics needs --stdin" };
      if (server === undefined || tool === undefined) {
        const message = "name a server and a tool, such as: tacklebox call files read_file, or use --stdin";
        return { kind: "refused", message };
      }
      return { kind: "ok", options: { ...common, from: "command-line", server, tool, args: args ?? "{}" } };
    },
    load: () => import("../commands/call.ts"),
  }),

  command({
    name: "calls",
    section: "Tools and calls",
    summary: "show the call log, newest first",
    example: "tacklebox calls --status error --limit 5",
    json: JSON_SHAPES.calls,
    more: `
No server is started. With --follow, the newest call comes last; then each new call is shown when it starts and again
whenever its status changes, until you press Ctrl-C. Add --json to get one call per line.`,
    takes: {
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

function parsePort(value: string): number {
  const port = Number(value);
  if (!/^\d+$/.test(value) || port > 65_535)
    throw new InvalidArgumentError("A port is a whole number from 0 to 65535.");
  return port;
}

/** Half a hash would not be found, and the log would be said to have been tampered with. */
function toHash(value: string): string {
  if (!/^[0-9a-f]{64}$/i.test(value))
    throw new InvalidArgumentError("It must be a whole head, 64 digits and letters from a to f, as printed earlier.");
  return value.toLowerCase();
}

import { InvalidArgumentError } from "commander";
import { argument, count, flag, oneOf, optionalArgument, parsed, text } from "../command-line/parameters.ts";
import { type Checked, type CommandRow, checkedCommand, command } from "../command-line/row.ts";
import type { CallOptions } from "../commands/call.ts";
import { JSON_SHAPES } from "../output/json/json-shapes.ts";
import { VERIFY_JSON_SHAPE } from "../output/json/verify-json.ts";
import { metricsPort } from "./metrics-port.ts";

const STATUSES = ["pending", "running", "success", "error"] as const;

/** The commands about servers, their tools and calls. */
export const SERVERS_AND_TOOLS: readonly CommandRow[] = [
  command({
    name: "check",
    summary: "load the config, connect every server, register the tools and report",
    example: "tacklebox check --config tacklebox.yaml",
    json: JSON_SHAPES.check,
    overview: {
      stage: "look around",
      lines: [["tacklebox check", "load the config, connect, register, report"]],
    },
    takes: {},
    load: () => import("../commands/check.ts"),
  }),

  command({
    name: "servers",
    summary: "show every server: status, transport, protocol, tools, cause",
    example: "tacklebox servers --json",
    json: JSON_SHAPES.servers,
    overview: { stage: "look around", lines: [["tacklebox servers", "every server and how it is"]] },
    takes: {},
    load: () => import("../commands/servers.ts"),
  }),

  command({
    name: "tools",
    summary: "show every tool that may be called, with its limits",
    example: "tacklebox tools --server files",
    json: JSON_SHAPES.tools,
    overview: {
      stage: "look around",
      lines: [["tacklebox tools --server files", "what may be called, and its limits"]],
    },
    takes: { server: text("--server <name>", "only the tools of this server") },
    load: () => import("../commands/tools.ts"),
  }),

  checkedCommand({
    name: "call",
    summary: "call a tool, or with --stdin many at once",
    example: `tacklebox call files read_file --args '{"path":"notes.txt"}'`,
    json: JSON_SHAPES.call,
    more: `
With --stdin each input line is {"id"?, "server"?, "tool", "arguments"?}. Calls run at the same time and each answers
with one line of the JSON above when it ends; "id" is echoed. A line that cannot be read answers with status "error"
and ending "invalid-arguments". At the end of input the exit code is 0 when the stream itself worked, however the calls
ended. SIGTERM stops reading and lets running calls end (10 s at most, exit 0); Ctrl-C cancels them (exit 130).`,
    overview: {
      stage: "work",
      lines: [
        [`tacklebox call files read_file --args '{"path":"a.txt"}'`],
        ["tacklebox call --stdin < calls.jsonl", "many calls at once, one JSON object per line"],
      ],
    },
    takes: {
      server: optionalArgument("the tool's server"),
      tool: optionalArgument("the tool's name"),
      args: text("--args <json>", "the arguments as a JSON object, or - to read them from stdin"),
      stdin: flag("--stdin", "read calls as JSON lines until the end of input"),
      metricsPort: metricsPort("with --stdin: "),
    },
    check({ server, tool, args, stdin, metricsPort: port, ...common }): Checked<CallOptions> {
      if (stdin) {
        if (server === undefined && args === undefined)
          return { kind: "ok", options: { ...common, from: "stdin", metricsPort: port } };
        const message = "--stdin takes server, tool and arguments from its input lines, not from the command line";
        return { kind: "refused", message };
      }
      if (port !== undefined) return { kind: "refused", message: "--metrics needs --stdin" };
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
    summary: "show the call log, newest first; starts no server",
    example: "tacklebox calls --status error --limit 5",
    json: JSON_SHAPES.calls,
    more: `
With --follow the newest calls come last, then each further one when it is made and again when its status changes, until
Ctrl-C; with --json as one call per line. The log is looked at twice a second.`,
    overview: { stage: "keep watch", lines: [["tacklebox calls --limit 50", "what was called"]] },
    takes: {
      server: text("--server <name>", "only calls to this server"),
      tool: text("--tool <name>", "only calls of this tool, by the name its server gives it"),
      status: oneOf("--status <status>", "only calls with this status", STATUSES),
      limit: count("--limit <count>", "how many at most", 20),
      follow: flag("--follow", "show further calls as they come"),
    },
    below: [
      command({
        name: "verify",
        summary: "check that no recorded call was changed, added or removed behind Tacklebox's back",
        example: "tacklebox calls verify --expect HASH",
        json: VERIFY_JSON_SHAPE,
        more: `
Every call that ends is added to a chain of hashes in the call log. This compares each call with it, and says which are
not as they were recorded. Calls removed because of their age or number are counted, not taken for broken. Somebody who
can write the file can also recompute every hash, or cut off the last ones: keep the head that is printed in another
place, and pass it to --expect later. Exit codes: 0 intact, 1 not.`,
        overview: {
          stage: "keep watch",
          lines: [["tacklebox calls verify", "whether anybody changed the record"]],
        },
        takes: {
          expect: parsed("--expect <hash>", "a head printed earlier, which must still be in the chain", toHash),
        },
        load: () => import("../commands/calls/verify.ts"),
      }),
    ],
    load: () => import("../commands/calls.ts"),
  }),

  command({
    name: "why",
    summary: "explain step by step why a tool may or may not be called",
    example: "tacklebox why read_file",
    json: JSON_SHAPES.why,
    overview: {
      stage: "keep watch",
      lines: [["tacklebox why read_file", "why a tool may or may not be called"]],
    },
    takes: {
      tool: argument("the tool's shown name, or the name its server gives it"),
      server: text("--server <name>", "only the tool of this server"),
    },
    load: () => import("../commands/why.ts"),
  }),

  command({
    name: "trust",
    summary: "accept the present definitions of a server's changed tools",
    example: "tacklebox trust files read_file",
    json: JSON_SHAPES.trust,
    overview: { stage: "keep watch", lines: [["tacklebox trust files", "accept changed tool definitions"]] },
    takes: {
      server: argument("the server"),
      tool: optionalArgument("only this tool, by the name its server gives it"),
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

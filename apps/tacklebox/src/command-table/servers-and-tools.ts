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
    overview: { stage: "look around", lines: [["tacklebox servers", "the status of every server"]] },
    takes: {},
    load: () => import("../commands/servers.ts"),
  }),

  checkedCommand({
    name: "tools",
    summary: "list the tools that may be called, or describe one of them",
    example: "tacklebox tools files read_file",
    json: JSON_SHAPES.tools,
    overview: {
      stage: "look around",
      lines: [
        ["tacklebox tools", "every tool that may be called"],
        ["tacklebox tools files read_file", "one tool: arguments, limits, an example"],
      ],
    },
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
    summary: "call a tool, or with --stdin many at once",
    example: "tacklebox call files read_file path=notes.txt",
    json: JSON_SHAPES.call,
    more: `
The tool can be written as SERVER TOOL, as SERVER.TOOL, or by its name alone, as \`tacklebox tools\` lists it. If you
name the server, only that server and the required ones are started.

Write each argument as name=value. The tool's schema decides its type: limit=5 is a number if the tool expects one, and
text if it expects text. Repeat a name to build a list (tag=a tag=b), use a dot to set a member of an object
(options.depth=2), and write name:=JSON to give a value as JSON. You can also pass all arguments as one JSON object, as
a word or with --args; name=value arguments are then added to it and take precedence. \`tacklebox tools NAME\` shows what
a tool accepts.

With --stdin, each input line is {"id"?, "server"?, "tool", "arguments"?}. Calls run concurrently; each is answered with
one line of the JSON above when it ends, and "id" is echoed. A line that cannot be read is answered with status "error"
and ending "invalid-arguments". At the end of the input, the exit code is 0 if the stream itself worked, however the
calls ended. SIGTERM stops reading and lets running calls finish (10 s at most, exit 0); Ctrl-C cancels them (exit 130).`,
    overview: {
      stage: "work",
      lines: [
        ["tacklebox call files read_file path=notes.txt", "call a tool"],
        ["tacklebox call --stdin < calls.jsonl", "many calls at once, one JSON object per line"],
      ],
    },
    takes: {
      tool: optionalArgument("the tool, as SERVER TOOL, SERVER.TOOL or its name alone"),
      arguments: anyArguments("its arguments, each as name=value or all as one JSON object"),
      args: text("--args <json>", "the arguments as a JSON object, or - to read them from stdin"),
      stdin: flag("--stdin", "read calls as JSON lines until the end of input"),
      metrics: parsed(
        "--metrics <port>",
        "with --stdin: serve Prometheus metrics on 127.0.0.1, 0 for any port",
        parsePort,
      ),
    },
    check({ tool, arguments: rest, args, stdin, metrics, ...common }): Checked<CallOptions> {
      if (stdin) {
        if (tool === undefined && args === undefined)
          return { kind: "ok", options: { ...common, from: "stdin", metricsPort: metrics } };
        const message = "--stdin takes server, tool and arguments from its input lines, not from the command line";
        return { kind: "refused", message };
      }
      if (metrics !== undefined) return { kind: "refused", message: "--metrics needs --stdin" };
      const parsed = parseCallWords([...(tool === undefined ? [] : [tool]), ...rest], args);
      if (parsed.kind === "refused") return parsed;
      return { kind: "ok", options: { ...common, from: "command-line", ...parsed.words } };
    },
    load: () => import("../commands/call.ts"),
  }),

  command({
    name: "calls",
    summary: "show past calls, newest first, or everything about one call; starts no server",
    example: "tacklebox calls 0199f7d2-5a8e",
    json: JSON_SHAPES.calls,
    more: `
With an id, or the beginning of one, it shows that call: its arguments and result, who asked for it, why it was allowed,
and where its time went.

With --follow, the newest calls come last, followed by each new call when it is made and again when its status changes,
until you press Ctrl-C; with --json, one call per line. The log is checked twice a second.`,
    overview: {
      stage: "keep watch",
      lines: [
        ["tacklebox calls --limit 50", "what was called"],
        ["tacklebox calls 0199f7d2-5a8e", "one call: arguments, result, decision, times"],
      ],
    },
    takes: {
      id: optionalArgument("one call, by its id or the beginning of it"),
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

import process from "node:process";
import type { Readable } from "node:stream";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { ConnectionError, isJsonObject, type JsonObject, type Oddity, type StdioLaunch } from "@tacklebox/core";
import { MAX_MESSAGE_BYTES, oversize } from "../protocol/message-size.ts";
import type { RedactServerText } from "../protocol/redact-server-text.ts";
import type { MessageRoom, Seat } from "../protocol/room/message-room.ts";
import { toSdkMessage } from "../protocol/sdk-client.ts";
import { createLineFramer } from "./line-framer.ts";
import { OutputTail } from "./output-tail.ts";
import { type ProcessEnd, type ProcessEnvironment, type ServerProcess, startServer } from "./server-process.ts";
import { createStdioLog, type StdioLog } from "./stdio-log.ts";

export interface StdioTransportOptions {
  readonly launch: StdioLaunch;
  readonly environment: ProcessEnvironment;
  readonly redact: RedactServerText;
  /** Redacts the server's last output, which is cut here afterwards. */
  readonly redactUncut: RedactServerText;
  readonly maxMessageBytes?: number;
  readonly room: MessageRoom;
  /** Sees every message first; returns true if the SDK must not see it. `leave`: see StreamWire. */
  readonly accept: (message: JsonObject, leave?: () => void) => boolean;
  readonly sdkSent: (message: JSONRPCMessage) => void;
  /** Called when an answer was dropped for its size; returns false if the id is not one of ours. */
  readonly onOversize: (id: string, error: ConnectionError) => boolean;
  /** Called when the process ends without close() having been called. */
  readonly onEnd: (cause: ConnectionError) => void;
  readonly onServerLog: (line: string) => void;
  readonly onOddity: (oddity: Oddity) => void;
}

const SHOWN_LINES = 5;
const CODE_OVERSIZE = -32000;

/**
 * A server as a child process, one JSON message per line. Not the SDK's, which waits for pipes instead of processes.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Set if the process ended by itself; says why. */
  endedBy: ConnectionError | undefined;
  /** Whether the legacy handshake was started, which means that the server survived the probe. */
  sentInitialize = false;
  readonly #options: StdioTransportOptions;
  readonly #tail = new OutputTail();
  readonly #log: StdioLog;
  readonly #seat: Seat;
  #process: ServerProcess | undefined;
  #starting: Promise<ServerProcess> | undefined;
  #closed = false;
  #outbox = "";

  constructor(options: StdioTransportOptions) {
    this.#options = options;
    this.#log = createStdioLog(options);
    this.#seat = options.room.seat();
  }

  /** The SDK recognises a stdio transport by `pid` and `stderr`, and then takes a silent server for a legacy one. */
  get pid(): number | null {
    return this.#process?.pid ?? null;
  }

  get stderr(): Readable | null {
    return null;
  }

  async start(): Promise<void> {
    this.#starting ??= startServer(this.#options.launch, this.#options.environment);
    const server = await this.#starting;
    if (this.#closed) return;
    this.#process = server;
    const framer = createLineFramer({
      maxBytes: this.#options.maxMessageBytes ?? MAX_MESSAGE_BYTES,
      onLine: (line) => this.#receive(line),
      onGrow: (bytes) => this.#growMessage(bytes, server),
      onOversize: (head, tail) => this.#receiveOversize(head, tail),
    });
    server.stdout.on("data", (chunk: Buffer) => framer.push(chunk));
    // Always read: a server that writes to a full pipe would block for ever.
    server.stderr.on("data", (chunk: Buffer) => {
      this.#tail.push(chunk);
      this.#log.push(chunk);
    });
    // Ignored: a broken pipe is followed by an exit event that explains it.
    for (const pipe of [server.stdin, server.stdout, server.stderr]) pipe.on("error", () => {});
    void server.ended.then((end) => this.#receiveEnd(end));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if ("method" in message && message.method === "initialize") this.sentInitialize = true;
    this.#options.sdkSent(message);
    await this.post(JSON.stringify(message));
  }

  /** Queues one message. Rejects with ConnectionError if the process is gone; returns undefined otherwise. */
  post(text: string): Promise<void> | undefined {
    const stdin = this.#process?.stdin;
    if (stdin === undefined || !stdin.writable || this.#closed || this.endedBy !== undefined) {
      const why = this.endedBy?.message ?? "The server process is not running.";
      return Promise.reject(new ConnectionError("unreachable", why));
    }
    // Messages of the same tick are batched into one write.
    if (this.#outbox === "") process.nextTick(() => this.#flush());
    this.#outbox += `${text}\n`;
    return undefined;
  }

  /** The last lines the server wrote to stderr; undefined if it wrote none. */
  lastOutput(): string | undefined {
    const lines = this.#tail.lastLines(SHOWN_LINES, this.#options.redactUncut);
    return lines.length === 0 ? undefined : lines.join("\n");
  }

  async close(): Promise<void> {
    const first = !this.#closed;
    this.#closed = true;
    this.#flush();
    const server = await this.#starting?.catch(() => undefined);
    this.#seat.leave();
    await server?.stop();
    this.#log.end();
    if (first && this.endedBy === undefined) this.onclose?.();
  }

  #flush(): void {
    const lines = this.#outbox;
    this.#outbox = "";
    if (lines !== "" && this.#process?.stdin.writable === true) this.#process.stdin.write(lines);
  }

  /** A server whose message must wait for room is not read from, so that it stops writing. */
  #growMessage(bytes: number, { stdout }: ServerProcess): void {
    const room = this.#seat.grow(bytes);
    if (room === undefined) return;
    stdout.pause();
    void room.then(() => stdout.resume());
  }

  #receive(line: string): void {
    const leave = this.#seat.take();
    const message = parseLine(line);
    if (message === undefined) {
      leave?.();
      if (line.trim() === "") return;
      this.#options.onOddity("unreadable");
      this.#log.line(line);
      return;
    }
    if (this.#options.accept(message, leave)) return;
    const forSdk = toSdkMessage(message);
    if (forSdk === undefined) this.#options.onOddity("unreadable");
    else this.onmessage?.(forSdk);
  }

  #receiveOversize(head: string, tail: string): void {
    const maxBytes = this.#options.maxMessageBytes ?? MAX_MESSAGE_BYTES;
    const error = oversize(maxBytes);
    const id = replyId(head, tail);
    this.#seat.leave();
    this.#options.onOddity("oversize");
    if (typeof id === "string" && this.#options.onOversize(id, error)) return;
    if (id === undefined) this.#log.line(`A message over ${maxBytes} bytes was dropped.`);
    else this.onmessage?.({ jsonrpc: "2.0", id, error: { code: CODE_OVERSIZE, message: error.message } });
  }

  #receiveEnd(end: ProcessEnd): void {
    this.#seat.leave();
    if (this.#closed) return;
    this.#log.end();
    this.endedBy = new ConnectionError("interrupted", this.#describeEnd(end));
    // Its own children would outlive it otherwise.
    void this.#process?.stop();
    this.#options.onEnd(this.endedBy);
    this.onclose?.();
  }

  #describeEnd({ code, signal }: ProcessEnd): string {
    const how = signal === null ? `exited with code ${code ?? "unknown"}` : `was ended by ${signal}`;
    const output = this.lastOutput();
    return `The server process ${how}${output === undefined ? "." : `. Its last output:\n${output}`}`;
  }
}

function parseLine(line: string): JsonObject | undefined {
  const whole = parseObject(line);
  if (whole !== undefined) return whole;
  // Other output may precede a message on its line. Where the message starts is a guess, made at most three times.
  const openings = [line.indexOf('{"'), line.search(/\{\s*"jsonrpc"\s*:\s*"2\.0"/), line.lastIndexOf('{"jsonrpc"')];
  for (const opening of new Set(openings)) {
    const message = opening > 0 ? parseObject(line.slice(opening)) : undefined;
    if (message !== undefined) return message;
  }
  return undefined;
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && value.jsonrpc === "2.0" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The id of an answer of which only both ends are known. Nested ids do not match, as they are not at the very ends. */
function replyId(head: string, tail: string): string | number | undefined {
  const atStart = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*("[^"\\]*"|\d+)\s*,/.exec(head);
  const atEnd = /,\s*"id"\s*:\s*("[^"\\]*"|\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(tail);
  const found = atStart?.[1] ?? atEnd?.[1];
  if (found === undefined) return undefined;
  return found.startsWith('"') ? found.slice(1, -1) : Number(found);
}

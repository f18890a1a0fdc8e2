import type { Readable } from "node:stream";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { ConnectionError, isJsonObject, type JsonObject, type Oddity, type StdioLaunch } from "@tacklebox/core";
import { sdkText } from "../protocol/limits/outgoing-limits.ts";
import { oversizeAnswer, replyId } from "../protocol/limits/oversize-answer.ts";
import { DeepMessage, parseMessage } from "../protocol/limits/parse-message.ts";
import { notReading } from "../protocol/limits/unread-messages.ts";
import { MAX_MESSAGE_BYTES, oversize } from "../protocol/message-size.ts";
import type { MessageGate } from "../protocol/pace/message-gate.ts";
import type { RedactServerText } from "../protocol/redact-server-text.ts";
import type { MessageRoom, Seat } from "../protocol/room/message-room.ts";
import { toSdkMessage } from "../protocol/sdk-client.ts";
import type { Accepted } from "../protocol/stream-wire.ts";
import type { Beginning } from "./causes/explain-launch.ts";
import { createOutbox, type Outbox } from "./outbox.ts";
import { OutputTail, SHOWN_CHARS } from "./output-tail.ts";
import { type PacedLines, readPacedLines } from "./paced-lines.ts";
import { type ProcessEnd, type ServerHost, type ServerProcess, startServer } from "./server-process.ts";
import { createStdioLog, type StdioLog } from "./stdio-log.ts";

export interface StdioTransportOptions {
  readonly launch: StdioLaunch;
  readonly host: ServerHost;
  readonly redact: RedactServerText;
  /** Redacts the server's last output, which is cut here afterwards. */
  readonly redactUncut: RedactServerText;
  readonly maxMessageBytes?: number;
  /** Paces what is read from the server. */
  readonly gate: MessageGate;
  readonly room: MessageRoom;
  /** Sees every message first. `leave`: see StreamWire. */
  readonly accept: (message: JsonObject, leave?: () => void) => Accepted;
  readonly sdkSent: (message: JSONRPCMessage) => void;
  /** Takes an answer that is nested too deeply; returns false if it is not for one of our requests. */
  readonly acceptDeep: (message: DeepMessage) => boolean;
  /** Called when an answer was dropped for its size; returns false if the id is not one of ours. */
  readonly onOversize: (id: string, error: ConnectionError) => boolean;
  /** Called before `onEnd` for each request of ours that the server certainly got nothing of. */
  readonly onUnsent: (id: string, error: ConnectionError) => void;
  /** Called when the process or one of its pipes ends without close() having been called. */
  readonly onEnd: (cause: ConnectionError) => void;
  readonly onServerLog: (line: string) => void;
  readonly onOddity: (oddity: Oddity) => void;
}

const SHOWN_LINES = 10;
const MAX_STRAY_LINES = 10;
/** Longer lines are not text that was meant for a person. */
const MAX_STRAY_CHARS = 4096;
/** How long to wait, once a pipe has ended, for the end of the process, which explains it better. */
const EXIT_AFTER_PIPE_MS = 500;

/**
 * A server as a child process, one JSON message per line. Not the SDK's, which waits for pipes instead of processes.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Set if the connection ended without close(); says why. */
  endedBy: ConnectionError | undefined;
  /** The same without the server's output. */
  endedHow: string | undefined;
  /** Whether the legacy handshake was started, which means that the server survived the probe. */
  sentInitialize = false;
  readonly #options: StdioTransportOptions;
  readonly #tail = new OutputTail();
  readonly #log: StdioLog;
  readonly #seat: Seat;
  #process: ServerProcess | undefined;
  #starting: Promise<ServerProcess> | undefined;
  #closed = false;
  #outbox: Outbox | undefined;
  #input: PacedLines | undefined;
  #unsent: readonly string[] = [];
  readonly #strayLines: string[] = [];
  #hasAnswered = false;
  #pipeEnd: NodeJS.Timeout | undefined;

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
    this.#starting ??= startServer(this.#options.launch, this.#options.host);
    const server = await this.#starting;
    if (this.#closed) return;
    this.#process = server;
    const { gate } = this.#options;
    const lines = {
      maxBytes: this.#options.maxMessageBytes ?? MAX_MESSAGE_BYTES,
      onLine: (line: string) => this.#receive(line),
      onEmpty: () => gate.took("unasked"),
      onGrow: (bytes: number) => this.#seat.grow(bytes),
      onOversize: (head: string, tail: string) => this.#receiveOversize(head, tail),
    };
    this.#input = readPacedLines(server.stdout, gate, lines, ({ message }) => this.#end(message));
    this.#outbox = createOutbox(server.stdin, {
      onBroken: (unsent) => {
        this.#unsent = unsent;
        this.#receivePipeEnd("The server closed its input, but went on running.");
      },
      onFull: (unsent) => {
        this.#unsent = unsent;
        this.#end(notReading().message);
      },
    });
    server.stdout.on("end", () => this.#receivePipeEnd("The server closed its output, but went on running."));
    // Always read: a server that writes to a full pipe would block for ever.
    server.stderr.on("data", (chunk: Buffer) => {
      this.#tail.push(chunk);
      this.#log.push(chunk);
    });
    // Ignored: a pipe that cannot be read is followed by its end.
    for (const pipe of [server.stdout, server.stderr]) pipe.on("error", () => {});
    void server.exited.then(() => gate.open());
    void server.ended.then((end) => this.#end(describeExit(end)));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if ("method" in message && message.method === "initialize") this.sentInitialize = true;
    this.#options.sdkSent(message);
    await this.post(sdkText(message));
  }

  /** Queues one message. Rejects with ConnectionError if the process is gone; returns undefined otherwise. */
  post(text: string, id?: string): Promise<void> | undefined {
    if (this.#outbox === undefined || this.#process?.stdin.writable !== true || this.#closed || this.endedBy) {
      const why = this.endedBy?.message ?? "The server process is not running, or closed its input.";
      return Promise.reject(new ConnectionError("unreachable", why));
    }
    this.#outbox.push(text, id);
    return undefined;
  }

  /** What the server wrote before it was ready. */
  beginning(): Beginning {
    const { redactUncut } = this.#options;
    const strayLines = redactUncut(this.#strayLines.join("\n"))
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.slice(0, SHOWN_CHARS));
    const lastOutput = this.lastOutput();
    return {
      strayLines,
      lastOutput,
      saidNothing: !this.#hasAnswered && strayLines.length === 0 && lastOutput === undefined,
    };
  }

  /** The last lines the server wrote to stderr; undefined if it wrote none. */
  lastOutput(): string | undefined {
    const lines = this.#tail.lastLines(SHOWN_LINES, this.#options.redactUncut);
    return lines.length === 0 ? undefined : lines.join("\n");
  }

  async close(): Promise<void> {
    const first = !this.#closed;
    this.#closed = true;
    clearTimeout(this.#pipeEnd);
    this.#outbox?.flush();
    const server = await this.#starting?.catch(() => undefined);
    this.#seat.leave();
    await server?.stop();
    this.#log.end();
    if (first && this.endedBy === undefined) this.onclose?.();
  }

  #receive(line: string): void {
    const leave = this.#seat.take();
    const message = parseLine(line);
    if (message === undefined) {
      leave?.();
      this.#options.gate.took("unasked");
      if (line.trim() === "") return;
      this.#options.onOddity("unreadable");
      this.#log.line(line);
      if (!this.#hasAnswered && this.#strayLines.length < MAX_STRAY_LINES && line.length <= MAX_STRAY_CHARS)
        this.#strayLines.push(line.trimEnd());
      return;
    }
    this.#hasAnswered = true;
    if (message instanceof DeepMessage) {
      leave?.();
      this.#receiveDeep(message);
      return;
    }
    const { arrival, isForSdk } = this.#options.accept(message, leave);
    this.#options.gate.took(arrival);
    if (!isForSdk) return;
    const forSdk = toSdkMessage(message);
    if (forSdk === undefined) this.#options.onOddity("unreadable");
    else this.onmessage?.(forSdk);
  }

  #receiveOversize(head: string, tail: string): void {
    const maxBytes = this.#options.maxMessageBytes ?? MAX_MESSAGE_BYTES;
    const error = oversize(maxBytes);
    const id = replyId(head, tail);
    this.#seat.leave();
    this.#options.gate.took(id === undefined ? "unasked" : "answer");
    this.#options.onOddity("oversize");
    if (typeof id === "string" && this.#options.onOversize(id, error)) return;
    if (id === undefined) this.#log.line(`A message over ${maxBytes} bytes was dropped.`);
    else this.onmessage?.(oversizeAnswer(id, error));
  }

  #receiveDeep(message: DeepMessage): void {
    this.#options.onOddity("oversize");
    const isAwaited = this.#options.acceptDeep(message);
    this.#options.gate.took(isAwaited ? "answer" : "unasked");
    if (isAwaited) return;
    const answer = message.toErrorAnswer();
    if (answer === undefined) return;
    if (message.kind === "answer") this.onmessage?.(answer);
    // If this fails, the process is gone.
    else void this.post(JSON.stringify(answer))?.catch(() => undefined);
  }

  #receivePipeEnd(text: string): void {
    if (this.#closed || this.endedBy !== undefined) return;
    this.#pipeEnd ??= setTimeout(() => this.#end(text), EXIT_AFTER_PIPE_MS);
  }

  #end(what: string): void {
    clearTimeout(this.#pipeEnd);
    this.#seat.leave();
    if (this.#closed || this.endedBy !== undefined) return;
    this.#input?.stop();
    this.#log.end();
    const output = this.lastOutput();
    const why = output === undefined ? what : `${what} Its last output:\n${output}`;
    this.endedBy = new ConnectionError("interrupted", why);
    this.endedHow = what;
    // Its own children would outlive it otherwise.
    void this.#process?.stop();
    for (const id of this.#unsent) this.#options.onUnsent(id, new ConnectionError("unreachable", why));
    this.#options.onEnd(this.endedBy);
    this.onclose?.();
  }
}

function describeExit({ code, signal }: ProcessEnd): string {
  const how = signal === null ? `exited with code ${code ?? "unknown"}` : `was ended by ${signal}`;
  return `The server process ${how}.`;
}

function parseLine(line: string): JsonObject | DeepMessage | undefined {
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

function parseObject(text: string): JsonObject | DeepMessage | undefined {
  const value = parseMessage(text);
  if (value instanceof DeepMessage) return value;
  return isJsonObject(value) && value.jsonrpc === "2.0" ? value : undefined;
}

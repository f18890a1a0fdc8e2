import { describe, expect, it } from "vitest";
import { createLineFramer } from "./node/line-framer.ts";
import { OutputTail } from "./node/output-tail.ts";
import { definitionOf } from "./node/testing/definitions.ts";
import { encodeHeaderValue, paramHeaders } from "./param-headers.ts";
import { requestHeaders } from "./request-headers.ts";
import { readEvents, type SseEvent } from "./sse-parser.ts";
import { createStrikeOut } from "./strike-out.ts";
import { toToolResult } from "./tool-result.ts";

async function eventsOf(...chunks: string[]): Promise<SseEvent[]> {
  const encoder = new TextEncoder();
  async function* body() {
    for (const chunk of chunks) yield encoder.encode(chunk);
  }
  const events: SseEvent[] = [];
  for await (const event of readEvents(body(), 100)) events.push(event);
  return events;
}

describe("reading an event stream", () => {
  const expected = [
    { event: "message", data: "one\ntwo" },
    { event: "endpoint", data: "x", id: "7", retryMs: 50 },
  ];
  const text =
    "\uFEFF: hello\ndata: one\ndata:two\n\nevent: endpoint\nid: 7\nretry: 50\nretry: soon\ndata: x\nunknown\n\n";

  it.each([
    ["\n", "line feeds"],
    ["\r\n", "both"],
    ["\r", "carriage returns"],
  ])("accepts %j as line end (%s), wherever the chunks are cut", async (end) => {
    const body = text.replaceAll("\n", end);
    expect(await eventsOf(body)).toEqual(expected);
    expect(await eventsOf(...body.split(""))).toEqual(expected);
  });

  it("drops an event that was not finished and one that says nothing", async () => {
    expect(await eventsOf("\n\ndata: unfinished\n")).toEqual([]);
  });

  it("refuses an event that outgrows the cap, in one line or in many", async () => {
    await expect(eventsOf("data: ".padEnd(200, "x"))).rejects.toMatchObject({ code: "oversize" });
    await expect(eventsOf("data: 0123456789\n".repeat(20))).rejects.toMatchObject({ code: "oversize" });
    expect(await eventsOf("data: 0123456789\n\n".repeat(20))).toHaveLength(20);
  });
});

describe("cutting output into lines", () => {
  function frame(maxBytes: number, ...chunks: string[]) {
    const lines: string[] = [];
    const dropped: [string, string][] = [];
    const framer = createLineFramer({
      maxBytes,
      onLine: (line) => void lines.push(line),
      onOversize: (head, tail) => void dropped.push([head, tail]),
    });
    for (const chunk of chunks) framer.push(Buffer.from(chunk));
    return { lines, dropped };
  }

  it("joins pieces, keeps characters that were cut in two and takes off the carriage return", () => {
    expect(frame(100, "a", "b\nc\r\n", "\nd").lines).toEqual(["ab", "c", ""]);
    const lines: string[] = [];
    const framer = createLineFramer({ maxBytes: 100, onLine: (line) => void lines.push(line), onOversize: () => {} });
    for (const byte of Buffer.from("grüße 😀\n")) framer.push(Buffer.from([byte]));
    expect(lines).toEqual(["grüße 😀"]);
  });

  it("throws a long line away, keeps its ends, and is in step with the next", () => {
    const long = `start${"x".repeat(1000)}`;
    const { lines, dropped } = frame(600, long, "x".repeat(500), "end\nnext\n");
    expect(lines).toEqual(["next"]);
    expect(dropped).toHaveLength(1);
    expect([dropped[0]?.[0].slice(0, 5), dropped[0]?.[1].slice(-3)]).toEqual(["start", "end"]);
  });

  it("reads a large message in linear time", () => {
    const chunk = "x".repeat(64 * 1024);
    const chunks = Array.from({ length: 800 }, () => chunk);
    expect(frame(64 * 1024 * 1024, ...chunks, "\n").lines[0]?.length).toBe(800 * chunk.length);
  });
});

describe("keeping the end of what a server wrote", () => {
  it("keeps the last lines within 64 KB and hands every line on", () => {
    let lines = 0;
    const tail = new OutputTail(() => {
      lines += 1;
    });
    for (let i = 0; i < 5000; i += 1) tail.push(Buffer.from(`line ${i} ${"x".repeat(50)}\n\n`));
    tail.push(Buffer.from("unfinished"));
    tail.end();
    tail.end();
    expect(lines).toBe(10_001);
    expect(tail.lastLines(1)).toEqual(["unfinished"]);
    expect(tail.lastLines(10_000).length).toBeLessThan(1200);
  });
});

describe("headers", () => {
  it("S1.26 lets the definition replace the content type but not what the protocol needs", () => {
    const ofProtocol = { "content-type": "application/json", accept: "x", "mcp-session-id": "s" };
    expect(requestHeaders({ "content-type": "application/json; v=2", accept: "y", a: "b" }, ofProtocol)).toEqual({
      "content-type": "application/json; v=2",
      accept: "x",
      "mcp-session-id": "s",
      a: "b",
    });
  });

  it("repeats marked arguments, at any depth, and nothing that is not certain", () => {
    const marked = (type: string, name: string) => ({ type, "x-mcp-header": name });
    const schema = {
      properties: {
        text: marked("string", "Text"),
        on: marked("boolean", "On"),
        count: marked("integer", "Count"),
        huge: marked("integer", "Huge"),
        list: marked("array", "List"),
        bad: marked("string", "not a token"),
        absent: marked("string", "Absent"),
        inner: { properties: { deep: marked("string", "Deep") } },
        items: { items: marked("string", "Item") },
        odd: true,
      },
    };
    const args = { text: " padded", on: true, count: 3, huge: 2 ** 60, list: [1], bad: "x", inner: { deep: "d" } };
    const headers = {
      "mcp-param-text": "=?base64?IHBhZGRlZA==?=",
      "mcp-param-on": "true",
      "mcp-param-count": "3",
      "mcp-param-deep": "d",
    };
    expect(paramHeaders(schema, args)).toEqual(headers);
    expect(paramHeaders(schema, { inner: "flat" })).toEqual({});
    expect(encodeHeaderValue("=?base64?eA==?=")).toBe("=?base64?PT9iYXNlNjQ/ZUE9PT89?=");
  });
});

describe("text that may be shown", () => {
  const redacted = (launch: Parameters<typeof definitionOf>[0], text: string) =>
    createStrikeOut(definitionOf(launch))(text);

  it("S1.48 strikes out what the launch carries, longest first", () => {
    const authentication = { type: "basic", username: "u", password: "passw0rd" } as const;
    const headers = { a: "passw0rd-longer", b: "tiny" };
    const launch = { transport: "http", url: "http://x?api_key=in-the-query", headers, authentication } as const;
    const text = "passw0rd-longer passw0rd tiny in-the-query";
    expect(redacted(launch, text)).toBe("[redacted] [redacted] tiny [redacted]");
    const byKey = { type: "api-key", key: "k3y-k3y-k3y", header: "h" } as const;
    const sse = { transport: "sse", url: "", headers: {}, authentication: byKey } as const;
    expect(redacted(sse, "k3y-k3y-k3y")).toBe("[redacted]");
    const stdio = {
      transport: "stdio",
      command: "x",
      args: ["--token", "in-an-argument"],
      env: { A: "in-env" },
    } as const;
    expect(redacted(stdio, "in-an-argument in-env")).toBe("[redacted] [redacted]");
  });

  it("S1.48 is cut, but never through a secret", () => {
    const authentication = { type: "bearer", token: "t0ken-".repeat(100) } as const;
    const launch = { transport: "http", url: "http://x", headers: {}, authentication } as const;
    expect(redacted(launch, "x".repeat(5000))).toHaveLength(2049);
    expect(redacted(launch, `${"x".repeat(2000)}${authentication.token}`)).toBe(`${"x".repeat(2000)}[redacted]`);
    expect(redacted(launch, authentication.token.repeat(40))).toBe("[redacted]".repeat(40));
  });
});

describe("reading a result", () => {
  it("accepts the single value of the oldest servers and refuses kinds it does not know", () => {
    expect(toToolResult({ toolResult: { a: 1 } })).toEqual({
      content: [{ type: "text", text: '{"a":1}' }],
      isError: false,
    });
    expect(toToolResult({ resultType: "complete", content: ["plain"] }).content).toEqual([
      { type: "text", text: "plain" },
    ]);
    expect(() => toToolResult({ resultType: "riddle" })).toThrow("a kind of result that is not known here");
  });
});

import { type ModelDefinition, ModelError } from "@tacklebox/core";
import { createManualClock, waitUntil } from "@tacklebox/core/testing";
import { describe, expect, it } from "vitest";
import { SCRIPTED_REPLIES } from "../testing/scripted-replies.ts";
import { type ApiName, KEY, openModel, readAll, testDefinition } from "../testing/test-models.ts";
import { type Reply, sse, startVendorServer } from "../testing/vendor-server.ts";

/** API, status, body and expected code, as vendors document them or their servers send them. */
const ANSWERS: readonly (readonly [ApiName, number, object | string, string])[] = [
  ["openai responses", 401, { error: { message: "no", code: "invalid_api_key" } }, "auth"],
  ["openai responses", 403, { error: { message: "Country not supported", code: "unsupported_country" } }, "auth"],
  ["openai-compatible", 402, { error: { message: "Insufficient Balance" } }, "auth"],
  ["openai responses", 429, { error: { message: "slow", code: "rate_limit_exceeded" } }, "rate-limit"],
  ["openai chat", 429, { error: { message: "quota", code: "insufficient_quota" } }, "rate-limit"],
  ["anthropic", 529, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, "rate-limit"],
  ["openai chat", 400, { error: { message: "long", code: "context_length_exceeded" } }, "context-too-long"],
  ["anthropic", 413, { type: "error", error: { type: "request_too_large", message: "big" } }, "context-too-long"],
  [
    "anthropic",
    400,
    { type: "error", error: { type: "invalid_request_error", message: "prompt is too long: 3 > 2" } },
    "context-too-long",
  ],
  [
    "openai-compatible",
    400,
    { error: { code: 400, message: "the request exceeds", type: "exceed_context_size_error", n_ctx: 4096 } },
    "context-too-long",
  ],
  [
    "openai-compatible",
    400,
    {
      object: "error",
      message: "This model's maximum context length is 4096 tokens.",
      type: "BadRequestError",
      code: 400,
    },
    "context-too-long",
  ],
  ["openai responses", 400, { error: { message: "flagged", code: "invalid_prompt" } }, "refused"],
  ["openai chat", 400, { error: { message: "filtered", code: "content_filter" } }, "refused"],
  ["openai chat", 404, { error: { message: "no such model", code: "model_not_found" } }, "refused"],
  ["openai-compatible", 404, "404 page not found", "refused"],
  ["openai chat", 503, "<html>", "unreachable"],
  // Gateways pass on the errors of the vendor behind them.
  ["openai-compatible", 400, { error: { message: "busy", type: "overloaded_error" } }, "rate-limit"],
  ["anthropic", 500, { type: "error", error: { type: "api_error", message: "oops" } }, "unreachable"],
];

/** Errors inside an answer that began well. */
const STREAMS: readonly (readonly [ApiName, readonly string[], string])[] = [
  ["anthropic", [event({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } })], "rate-limit"],
  [
    "openai responses",
    [
      event({
        type: "response.failed",
        sequence_number: 1,
        response: { error: { code: "server_error", message: "oops" } },
      }),
    ],
    "unreachable",
  ],
  [
    "openai responses",
    [event({ type: "error", code: "context_length_exceeded", message: "long", sequence_number: 1 })],
    "context-too-long",
  ],
  ["openai chat", [sse({ error: { message: "slow", code: "rate_limit_exceeded", type: "requests" } })], "rate-limit"],
  ["openai-compatible", [sse({ error: { message: "oops", type: "server_error" } })], "unreachable"],
  ["openai-compatible", [sse({ choices: "none" })], "bad-answer"],
  // A stream that ends without the vendor's end event.
  ["openai responses", [], "unreachable"],
  ["openai chat", [], "unreachable"],
  ["anthropic", [], "unreachable"],
  ["openai-compatible", [], "unreachable"],
];

describe("a failure", () => {
  it.each(ANSWERS)("of %s with status %i and %j is reported as %s", async (api, status, content, code) => {
    const body = typeof content === "string" ? content : JSON.stringify(content);
    expect((await failureAfter(api, { kind: "body", status, body })).code).toBe(code);
  });

  it.each(STREAMS)("of %s at the start of its stream, by %j, is reported as %s", async (api, events, code) => {
    expect((await failureAfter(api, { kind: "stream", events })).code).toBe(code);
  });

  it.each(STREAMS)("of %s in the middle of its stream, by %j, is reported as %s", async (api, events, code) => {
    const failed = await failureAfter(api, { kind: "stream", events: [...begun(api), ...events] });
    expect(failed.code).toBe(code);
  });

  it("says what happened, with which model, and what to do next", async () => {
    const body = JSON.stringify({ error: { message: "Slow down.", code: "rate_limit_exceeded" } });
    const headers = { "retry-after-ms": "1500", "retry-after": "9" };
    const error = await failureAfter("openai chat", { kind: "body", status: 429, body, headers });
    expect(error.message).toMatch(
      /^Model 'm' \(gpt-4o at 127\.0\.0\.1:\d+\) is not accepting more requests right now \(HTTP 429\)\. Try again in 2 s, or use another model\.$/,
    );
    expect(error.retryAfterMs).toBe(1500);
  });

  it("says if the account is empty, which neither another key nor waiting would fix", async () => {
    const billing = { type: "error", error: { type: "billing_error", message: "no" } };
    const paid = await failureAfter("anthropic", { kind: "body", status: 400, body: JSON.stringify(billing) });
    expect([paid.code, paid.message]).toEqual(["auth", expect.stringContaining("has no credit left (HTTP 400).")]);
    const quota = { error: { message: "no", code: "insufficient_quota" } };
    const used = await failureAfter("openai chat", { kind: "body", status: 429, body: JSON.stringify(quota) });
    expect([used.code, used.message]).toEqual([
      "rate-limit",
      expect.stringContaining("has used up its quota (HTTP 429)."),
    ]);
  });

  it("reads the time to wait from a date, too", async () => {
    const clock = createManualClock(Date.parse("2026-01-01T00:00:00Z"));
    const headers = { "retry-after": "Thu, 01 Jan 2026 00:01:00 GMT" };
    const reply: Reply = { kind: "body", status: 429, body: "{}", headers };
    expect((await failureAfter("anthropic", reply, {}, clock)).retryAfterMs).toBe(60_000);
  });

  it("is unreachable if nothing listens or the name does not exist", async () => {
    const gone = await startVendorServer([]);
    await gone.close();
    for (const baseUrl of [gone.url, "http://127.0.0.1:1", "http://nowhere.invalid"]) {
      const model = await openModel(testDefinition("openai-compatible", baseUrl));
      const error = await failureOf(readAll(model));
      expect([error.code, error.message.includes("cannot be reached")]).toEqual(["unreachable", true]);
    }
  });

  it.each([
    ["a port that nothing listens on", "", "cannot be reached: nothing is listening there (ECONNREFUSED)."],
    ["TLS where plain http is spoken", "https:", "cannot be reached: it does not speak TLS; check whether the address"],
  ])("explains in words the network error of %s", async (_what, scheme, words) => {
    const server = await startVendorServer([]);
    if (scheme === "") await server.close();
    const model = await openModel(testDefinition("openai-compatible", server.url.replace(/^http:/, scheme || "http:")));
    expect((await failureOf(readAll(model))).message).toContain(words);
    if (scheme !== "") await server.close();
  });

  it.each([
    ["a page to sign in", "text/html", "<html>Sign in</html>"],
    ["nothing", "text/event-stream", ""],
    ["an answer in one piece", "application/json", '{"choices":[{"message":{"content":"hi"}}]}'],
  ])("says that there was no answer if %s came instead", async (_what, type, body) => {
    for (const api of ["openai responses", "openai chat", "anthropic", "openai-compatible"] as const) {
      const headers = { "content-type": type };
      const error = await failureAfter(api, { kind: "body", status: 200, body, headers });
      expect([error.code, error.message]).toEqual([
        "unreachable",
        expect.stringMatching(/ sent an answer with nothing in it\. Check that .* the address is right/),
      ]);
    }
  });

  it("is unreachable if the model sends nothing for five minutes, and the connection is closed", async () => {
    const clock = createManualClock();
    const server = await startVendorServer([{ kind: "stream", events: [], after: "hang" }]);
    const model = await openModel(testDefinition("anthropic", server.url), { clock });
    const failed = failureOf(readAll(model));
    await waitUntil(() => server.working() === 1);
    clock.advance(5 * 60_000);
    const error = await failed;
    expect([error.code, error.message]).toEqual([
      "unreachable",
      "Model 'm' said nothing for 300 s. Check that its server is running, then try again.",
    ]);
    await waitUntil(() => server.working() === 0);
    await server.close();
    expect(clock.pending()).toBe(0);
  });
});

describe("a key", () => {
  it("is resolved from its reference, for the request only", async () => {
    const asked: string[] = [];
    const resolveSecret = (text: string) => {
      asked.push(text);
      return Promise.resolve(text.replace(/\$\{secret:\w+\}/g, KEY));
    };
    const server = await startVendorServer([{ kind: "body", status: 500, body: "{}" }]);
    const more = { apiKey: "${secret:OPENAI}", headers: { "x-team": "Token ${secret:TEAM}" } };
    const model = await openModel(testDefinition("openai chat", server.url, more), { resolveSecret });
    expect(asked).toEqual([]);
    await failureOf(readAll(model));
    await server.close();
    expect(asked).toEqual(["${secret:OPENAI}", "Token ${secret:TEAM}"]);
    const [request] = server.requests;
    expect([request?.headers.authorization, request?.headers["x-team"]]).toEqual([`Bearer ${KEY}`, `Token ${KEY}`]);
  });

  it("never appears in an error, even if the vendor repeats it", async () => {
    for (const api of ["openai responses", "openai chat", "anthropic", "openai-compatible"] as const) {
      for (const status of [400, 401, 429, 500]) {
        const body = JSON.stringify({ type: "error", error: { type: "x", message: `bad key ${KEY} in ${btoa(KEY)}` } });
        const headers = { "x-team": `Token team-${KEY}` };
        const error = await failureAfter(api, { kind: "body", status, body }, { headers });
        const everything = `${error.message} ${error.stack} ${String(error.cause)} ${JSON.stringify(error)}`;
        expect(everything).not.toContain(KEY);
        expect(everything).not.toContain(btoa(KEY).replace(/=+$/, ""));
        expect(everything).not.toContain("What is the weather?");
      }
    }
  });

  it("is not sent to a redirect's target", async () => {
    const thief = await startVendorServer([{ kind: "body", status: 200, body: "{}" }]);
    const headers = { location: `${thief.url}/v1/messages` };
    const error = await failureAfter("anthropic", { kind: "body", status: 307, body: "", headers });
    await thief.close();
    expect([error.code, thief.requests]).toEqual(["unreachable", []]);
  });

  it("that is missing or cannot be read is reported as auth, and nothing is sent", async () => {
    const server = await startVendorServer([{ kind: "body", status: 200, body: "{}" }]);
    const keyless = await openModel(testDefinition("openai chat", server.url, { apiKey: "" }));
    expect((await failureOf(readAll(keyless))).message).toBe(
      "Model 'm' has no key. Set apiKey where it is configured (a test).",
    );
    const resolveSecret = () =>
      Promise.reject(new Error("there is no secret 'X'. Store it with: tacklebox secret set X"));
    const unfilled = await openModel(testDefinition("anthropic", server.url), { resolveSecret });
    const error = await failureOf(readAll(unfilled));
    expect([error.code, error.message]).toEqual([
      "auth",
      "Model 'm' cannot be used: there is no secret 'X'. Store it with: tacklebox secret set X",
    ]);
    await server.close();
    expect(server.requests).toEqual([]);
  });
});

function begun(api: ApiName): readonly string[] {
  const reply = SCRIPTED_REPLIES[api]({ kind: "cut", text: "It" });
  return reply.kind === "stream" ? reply.events : [];
}

async function failureAfter(
  api: ApiName,
  reply: Reply,
  more: Partial<ModelDefinition> = {},
  clock = createManualClock(),
): Promise<ModelError> {
  const server = await startVendorServer([reply]);
  try {
    return await failureOf(readAll(await openModel(testDefinition(api, server.url, more), { clock })));
  } finally {
    await server.close();
    // No request is retried silently.
    expect(server.requests).toHaveLength(1);
  }
}

async function failureOf(turn: Promise<unknown>): Promise<ModelError> {
  const error: unknown = await turn.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ModelError) return error;
  throw new Error("The turn should have failed with a ModelError", { cause: error });
}

function event(value: { readonly type: string; readonly [key: string]: unknown }): string {
  return sse(value, value.type);
}

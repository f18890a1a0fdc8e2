import { ConnectionError } from "@tacklebox/core";
import { addressOf, type HttpBody, type HttpExchange, type HttpRequest } from "./http-exchange.ts";
import { followSameOrigin } from "./same-origin-redirects.ts";

/** Error codes of the built-in fetch (on runtimes that report one) for failures before a connection exists. */
const NEVER_CONNECTED: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** HTTP over the runtime's own fetch, which is the only option in a browser. */
export function createFetchExchange(fetchRequest: typeof fetch = fetch): HttpExchange {
  return followSameOrigin(async (request) => {
    // We pass our own signal: runtimes leave listeners on the signal they get until it is garbage collected.
    const controller = new AbortController();
    const abort = () => controller.abort();
    if (request.signal.aborted) throw stopped(request);
    request.signal.addEventListener("abort", abort);
    const release = () => request.signal.removeEventListener("abort", abort);
    try {
      const response = await fetchRequest(request.url, {
        method: request.method,
        headers: { ...request.headers },
        ...(request.body === undefined ? {} : { body: request.body }),
        redirect: "manual",
        credentials: "omit",
        signal: controller.signal,
      });
      if (response.type === "opaqueredirect") throw hiddenRedirect(request);
      const { status, statusText, headers } = response;
      const stop = () => {
        release();
        abort();
      };
      return { status, statusText, headers, body: toBody(response.body, request, { release, stop }) };
    } catch (error) {
      release();
      throw toExchangeError(error, request);
    }
  });
}

interface BodyEnd {
  /** Called when the body has ended. */
  readonly release: () => void;
  /** Aborts the request. */
  readonly stop: () => void;
}

function toBody(stream: ReadableStream<Uint8Array> | null, request: HttpRequest, end: BodyEnd): HttpBody {
  return {
    async read(take) {
      const reader = stream?.getReader();
      try {
        while (reader !== undefined) {
          const { done, value } = await reader.read().catch((error: unknown) => {
            throw toExchangeError(error, request);
          });
          if (done) break;
          await take(value);
        }
      } catch (error) {
        end.stop();
        throw error;
      }
      end.release();
    },
    stop: end.stop,
  };
}

function toExchangeError(error: unknown, request: HttpRequest): ConnectionError {
  if (error instanceof ConnectionError) return error;
  if (request.signal.aborted) return stopped(request);
  const address = addressOf(request.url);
  const code = causeCode(error);
  if (code !== undefined && NEVER_CONNECTED.has(code)) {
    return new ConnectionError("unreachable", `Cannot reach ${address} (${code}). Check the address and the network.`);
  }
  const detail = code === undefined ? "" : ` (${code})`;
  return new ConnectionError("interrupted", `The connection to ${address} failed${detail}.`, { cause: error });
}

function causeCode(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  if (typeof cause !== "object" || cause === null || !("code" in cause)) return undefined;
  return typeof cause.code === "string" ? cause.code : undefined;
}

function stopped(request: HttpRequest): ConnectionError {
  return new ConnectionError("cancelled", `The request to ${addressOf(request.url)} was stopped.`);
}

function hiddenRedirect(request: HttpRequest): ConnectionError {
  const text = `${addressOf(request.url)} redirects elsewhere; configure the address it redirects to.`;
  return new ConnectionError("misconfigured", text);
}

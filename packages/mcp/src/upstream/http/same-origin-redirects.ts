import { drain, type HttpExchange, type HttpReply, type HttpRequest } from "./http-exchange.ts";

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MAX_REDIRECTS = 5;

/**
 * Follows redirects that stay on the same origin and keep the method. Returns others as they are: following them would
 * send credentials to an address that was never configured.
 */
export function followSameOrigin(exchange: HttpExchange): HttpExchange {
  return async (request) => {
    let current = request;
    for (let followed = 0; ; followed += 1) {
      const reply = await exchange(current);
      const target = redirectTarget(current, reply);
      if (target === undefined || followed === MAX_REDIRECTS) return reply;
      await drain(reply.body);
      current = { ...current, url: target };
    }
  };
}

function redirectTarget(request: HttpRequest, reply: HttpReply): string | undefined {
  if (!REDIRECTS.has(reply.status)) return undefined;
  const location = reply.headers.get("location");
  if (location === null || !URL.canParse(location, request.url)) return undefined;
  const target = new URL(location, request.url);
  const keepsMethod = request.method === "GET" || reply.status === 307 || reply.status === 308;
  const isSameOrigin =
    target.origin === new URL(request.url).origin && target.username === "" && target.password === "";
  return keepsMethod && isSameOrigin ? target.href : undefined;
}

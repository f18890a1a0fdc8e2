import { ConnectionError, isJsonObject } from "@tacklebox/core";
import { checkPath } from "./explain-http.ts";
import type { Site } from "./site.ts";

/** What an address answered that took the request, but does not speak MCP. */
export type StrangeAnswer =
  | { readonly kind: "content"; readonly contentType: string; readonly text: string }
  /** JSON that is not JSON-RPC. */
  | { readonly kind: "json" }
  | { readonly kind: "unreadable-json" }
  | { readonly kind: "nothing"; readonly status: number };

/** The address answers, but it is not that of an MCP server. */
export class NotMcp extends ConnectionError {
  readonly answer: StrangeAnswer;

  constructor(answer: StrangeAnswer, site: Site, { prefix = "", wanted = "MCP" } = {}) {
    super("protocol-error", `${prefix}${describe(answer, site, wanted)}\n${explain(answer, site)}`);
    this.answer = answer;
  }
}

function describe(answer: StrangeAnswer, { address, redact }: Site, wanted: string): string {
  switch (answer.kind) {
    case "content":
      return `${address} answered ${typeOf(answer.contentType, redact)}, not ${wanted}`;
    case "json":
      return `${address} answered JSON, but not ${wanted}`;
    case "unreadable-json":
      return `${address} answered what is not valid JSON, so not ${wanted}`;
    case "nothing":
      return `${address} answered nothing (HTTP ${answer.status}), not ${wanted}`;
  }
}

function explain(answer: StrangeAnswer, site: Site): string {
  if (answer.kind !== "content" || !answer.contentType.includes("html")) return checkPath(site);
  const title = titleOf(answer.text);
  // Redacted before it is cut: a secret cut in half would not be found.
  const page =
    title === undefined ? "It is a web page" : `It is a web page titled "${site.redact(title).slice(0, 200)}"`;
  return `${page}: the address of a website, a sign-in page or a proxy. ${checkPath(site)}`;
}

function typeOf(contentType: string, redact: Site["redact"]): string {
  const [type = ""] = contentType.split(";", 1);
  return type.trim() === "" ? "something without a content type" : redact(type.trim()).slice(0, 100);
}

function titleOf(html: string): string | undefined {
  const title = /<title[^>]{0,100}>([^<]{1,1000})<\/title/i.exec(html)?.[1]?.replaceAll(/\s+/g, " ").trim();
  return title === "" ? undefined : title;
}

/** What is strange about the JSON that answered a request; undefined if it is a JSON-RPC message, or several. */
export function strangeJson(text: string): StrangeAnswer | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const messages = Array.isArray(value) ? value : [value];
    const isRpc = messages.every((message) => isJsonObject(message) && message.jsonrpc === "2.0");
    return isRpc ? undefined : { kind: "json" };
  } catch {
    return { kind: "unreadable-json" };
  }
}

/** Whether a request body is one that must be answered with a message. */
export function expectsAnswer(body: unknown): boolean {
  if (typeof body !== "string") return false;
  try {
    const value: unknown = JSON.parse(body);
    return isJsonObject(value) && "method" in value && "id" in value;
  } catch {
    return false;
  }
}

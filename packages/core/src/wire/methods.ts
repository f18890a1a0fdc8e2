import type { Engine } from "../engine.ts";

/**
 * Every method of the engine that can be called across a wire. A request is answered once; a stream sends one value
 * each time the client asks for the next.
 */
export const METHODS = {
  servers: {
    list: "request",
    add: "request",
    remove: "request",
    connect: "request",
    disconnect: "request",
    offers: "request",
    readResource: "request",
    getPrompt: "request",
    complete: "request",
    subscribe: "request",
    unsubscribe: "request",
  },
  tools: {
    list: "request",
    search: "request",
    find: "request",
    explain: "request",
    changed: "request",
    trust: "request",
  },
  calls: { make: "request", cancel: "request", get: "request", list: "request" },
  runs: {
    start: "request",
    events: "stream",
    cancel: "request",
    confirmShown: "request",
    setApprovalMode: "request",
    list: "request",
  },
  approvals: { list: "request", answer: "request" },
  questions: { list: "request", answer: "request" },
  grants: { list: "request", revoke: "request" },
  sessions: {
    open: "request",
    close: "request",
    list: "request",
    get: "request",
    messages: "request",
    remove: "request",
    setTool: "request",
  },
  gpts: { list: "request", save: "request", remove: "request" },
  models: { list: "request" },
  secrets: {
    list: "request",
    put: "request",
    forget: "request",
    check: "request",
    rotate: "request",
    redact: "request",
  },
  events: { follow: "stream", last: "request" },
} as const satisfies { readonly [N in keyof Engine]: Readonly<Record<keyof Engine[N], "request" | "stream">> };

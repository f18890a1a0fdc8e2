import type { ToolRef } from "../../domain/tool.ts";

/** A value for each server. Looking one up makes no text of its scope and key, which counts with thousands of tools. */
export class ByServer<Value> {
  readonly #scopes = new Map<ToolRef["scope"], Map<string, Value>>();

  get({ scope, server }: Pick<ToolRef, "scope" | "server">): Value | undefined {
    return this.#scopes.get(scope)?.get(server);
  }

  /** Returns the value. */
  set({ scope, server }: Pick<ToolRef, "scope" | "server">, value: Value): Value {
    const servers = this.#scopes.get(scope);
    if (servers === undefined) this.#scopes.set(scope, new Map([[server, value]]));
    else servers.set(server, value);
    return value;
  }
}

import type { ServerName } from "../../ports/store.ts";

/** A value for each server. Looking one up makes no text of its scope and key, which counts with thousands of tools. */
export class ByServer<Value> {
  readonly #scopes = new Map<ServerName["scope"], Map<string, Value>>();

  get({ scope, server }: ServerName): Value | undefined {
    return this.#scopes.get(scope)?.get(server);
  }

  /** Returns the value. */
  set({ scope, server }: ServerName, value: Value): Value {
    const servers = this.#scopes.get(scope);
    if (servers === undefined) this.#scopes.set(scope, new Map([[server, value]]));
    else servers.set(server, value);
    return value;
  }
}

import type { ToolboxSettings } from "../domain/tool.ts";
import type { RegisteringServer } from "./register-tools.ts";
import type { Notice } from "./registration.ts";
import { goneToolText, notProvidedText } from "./registration-texts.ts";

/** Warns about tools that are configured, or were there at the last start, but are no longer offered (S4.24). */
export function missingToolNotices(settings: ToolboxSettings, servers: readonly RegisteringServer[]): Notice[] {
  const notices = new Map<string, Notice>();
  const gone = ({ definition }: RegisteringServer, tool: string) => {
    const key = `gone:${definition.key}:${tool}`;
    notices.set(key, { key, level: "warn", text: goneToolText(tool, definition.name), server: definition.key });
  };
  const offered = new Map(servers.map((server) => [server, new Set(server.listing?.tools.map(({ name }) => name))]));
  const offers = (server: RegisteringServer, name: string) => offered.get(server)?.has(name) ?? false;
  const remote = servers.filter(({ definition }) => definition.scope !== "local");
  const [onlyServer] = remote;

  for (const server of remote) {
    if (server.listing === undefined) continue;
    for (const name of server.knownNames ?? []) if (!offers(server, name)) gone(server, name);
  }
  for (const { name, server: boundTo } of settings.tools) {
    if (boundTo !== undefined) {
      const bound = remote.find(({ definition }) => definition.key === boundTo);
      if (bound?.listing !== undefined && !offers(bound, name)) gone(bound, name);
      continue;
    }
    if (servers.some((server) => offers(server, name))) continue;
    // A server that is down may have the tool; that it is down is reported separately.
    if (remote.some(({ listing }) => listing === undefined)) continue;
    if (remote.some(({ knownNames }) => knownNames?.has(name))) continue;
    if (onlyServer !== undefined && remote.length === 1) {
      gone(onlyServer, name);
      continue;
    }
    notices.set(`nobody:${name}`, { key: `nobody:${name}`, level: "warn", text: notProvidedText(name) });
  }
  return [...notices.values()];
}

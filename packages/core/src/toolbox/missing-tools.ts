import type { ToolboxSettings } from "../domain/tool.ts";
import type { RegisteringServer } from "./register-tools.ts";
import type { Notice } from "./registration.ts";
import { goneToolText, notProvidedText } from "./registration-texts.ts";

/**
 * Warns about tools that are no longer offered (S4.14, S4.24): those that are configured, at every start until their
 * entry is removed, and others once, when they were there at the last start.
 */
export function missingToolNotices(settings: ToolboxSettings, servers: readonly RegisteringServer[]): Notice[] {
  const notices = new Map<string, Notice>();
  const gone = ({ definition }: RegisteringServer, tool: string) => {
    const key = `gone:${definition.key}:${tool}`;
    notices.set(key, { key, level: "warn", text: goneToolText(tool, definition.name), server: definition.key });
  };
  const offered = new Map(servers.map((server) => [server, new Set(server.listing?.tools.map(({ name }) => name))]));
  const offers = (server: RegisteringServer, name: string) => offered.get(server)?.has(name) ?? false;
  const remote = servers.filter(({ definition }) => definition.scope !== "local");
  const listed = remote.filter(({ listing }) => listing !== undefined);
  const [onlyServer] = remote;

  for (const server of listed)
    for (const name of server.knownNames ?? []) if (!offers(server, name)) gone(server, name);
  for (const { name, server: boundTo } of settings.tools) {
    if (boundTo !== undefined) {
      const bound = listed.find(({ definition }) => definition.key === boundTo);
      if (bound !== undefined && !offers(bound, name)) gone(bound, name);
      continue;
    }
    if (servers.some((server) => offers(server, name))) continue;
    const formerly = listed.filter(({ namesEverKnown }) => namesEverKnown.has(name));
    for (const server of formerly) gone(server, name);
    // A server that is down may have the tool; that it is down is reported separately.
    if (formerly.length > 0 || listed.length < remote.length) continue;
    if (onlyServer !== undefined && remote.length === 1) {
      gone(onlyServer, name);
      continue;
    }
    notices.set(`nobody:${name}`, { key: `nobody:${name}`, level: "warn", text: notProvidedText(name) });
  }
  return [...notices.values()];
}

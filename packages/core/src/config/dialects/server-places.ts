import { isMap } from "../document/check-shape.ts";
import type { Dialect } from "./dialect.ts";

type Root = Readonly<Record<string, unknown>>;

/** Where a file keeps its servers. */
export interface ServersPlace {
  readonly dialect: Dialect;
  readonly path: readonly string[];
}

export interface FoundPlace extends ServersPlace {
  /** The keys by which the place was recognized. */
  readonly sign: readonly string[];
}

const PLACES: readonly FoundPlace[] = [
  { dialect: "mcp-servers", path: ["mcpServers"], sign: ["mcpServers"] },
  { dialect: "mcp-servers", path: ["context_servers"], sign: ["context_servers"] },
  { dialect: "toolbox", path: ["myai", "toolbox", "mcps"], sign: ["myai", "toolbox"] },
  { dialect: "gateway", path: ["tools", "mcp_servers"], sign: ["tools", "mcp_servers"] },
];

/** Finds every place in a file that can hold servers. More than one is a mistake. */
export function placesIn(root: Root): readonly FoundPlace[] {
  return [serversKey(root), ...PLACES].filter(({ sign }) => valueAt(root, sign) !== undefined);
}

/** Finds where to write a server in a file. A file without a place for servers becomes a native one. */
export function findServersPlace(root: unknown): ServersPlace {
  const map = isMap(root) ? root : {};
  return placesIn(map)[0] ?? serversKey(map);
}

/** VS Code's `mcp.json` uses the same key as our own files, but its entries have a `type`. */
export function isVsCode(root: Root): boolean {
  if ("inputs" in root) return true;
  const { servers } = root;
  return isMap(servers) && Object.values(servers).some((entry) => isMap(entry) && "type" in entry);
}

export function valueAt(root: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((value, step) => (isMap(value) ? value[String(step)] : undefined), root);
}

function serversKey(root: Root): FoundPlace {
  return { dialect: isVsCode(root) ? "mcp-servers" : "native", path: ["servers"], sign: ["servers"] };
}

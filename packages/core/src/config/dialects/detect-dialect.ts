import { suggestion } from "../../text/nearest-name.ts";
import { isMap } from "../document/check-shape.ts";
import type { Path } from "../document/path.ts";
import { shown } from "../document/path.ts";
import type { Dialect } from "./dialect.ts";

export type Detection =
  | { readonly kind: "ok"; readonly dialect: Dialect }
  | { readonly kind: "invalid"; readonly message: string; readonly path: Path };

interface Sign {
  readonly dialect: Dialect;
  readonly path: Path;
  /** What in the file gave it away, for messages. */
  readonly what: string;
}

/** Tells by its keys which dialect a file is written in. */
export function detectDialect(root: Readonly<Record<string, unknown>>): Detection {
  const [first, ...others] = findSigns(root);
  if (first === undefined) return fallBack(root);
  const other = others.find(
    (sign) => sign.what !== first.what && !(sign.dialect === "native" && first.dialect === "native"),
  );
  if (other === undefined) return { kind: "ok", dialect: first.dialect };
  return {
    kind: "invalid",
    path: other.path,
    message: `This file mixes two ways of describing servers: ${describe(first)} and ${describe(other)}. Keep one of them per file.`,
  };
}

function findSigns(root: Readonly<Record<string, unknown>>): Sign[] {
  const signs: Sign[] = [];
  const add = (dialect: Dialect, path: Path, what: string) => signs.push({ dialect, path, what });
  if ("toolbox" in root) add("native", ["toolbox"], "'toolbox'");
  if ("servers" in root && !isVsCode(root)) add("native", ["servers"], "'servers'");
  if ("servers" in root && isVsCode(root)) add("mcp-servers", ["servers"], "'servers' with 'type' or 'inputs'");
  if ("mcpServers" in root) add("mcp-servers", ["mcpServers"], "'mcpServers'");
  if ("context_servers" in root) add("mcp-servers", ["context_servers"], "'context_servers'");
  if (isMap(root.myai) && "toolbox" in root.myai) add("toolbox", ["myai", "toolbox"], "'myai.toolbox'");
  if (isMap(root.tools) && "mcp_servers" in root.tools) add("gateway", ["tools", "mcp_servers"], "'tools.mcp_servers'");
  return signs;
}

/** VS Code's `mcp.json` has the key our own files have; its entries say `type`. */
export function isVsCode(root: Readonly<Record<string, unknown>>): boolean {
  if ("inputs" in root) return true;
  const { servers } = root;
  return isMap(servers) && Object.values(servers).some((entry) => isMap(entry) && "type" in entry);
}

const NATIVE_KEYS = ["servers", "toolbox", "calls", "models", "gpts", "custom_tools"];
const EXPECTED_KEYS = [...NATIVE_KEYS, "mcpServers", "context_servers", "myai", "tools"];

function fallBack(root: Readonly<Record<string, unknown>>): Detection {
  // Other programs use these keys as well, so they only count when nothing else tells.
  if (["calls", "models", "gpts", "custom_tools"].some((key) => key in root)) return { kind: "ok", dialect: "native" };
  const [key] = Object.keys(root);
  const meant = key === undefined || EXPECTED_KEYS.includes(key) ? "" : suggestion(key, EXPECTED_KEYS);
  const found =
    key === undefined
      ? "The file holds nothing."
      : `No servers are described here: '${shown(key)}' is not a key that does.${meant}`;
  return {
    kind: "invalid",
    path: key === undefined ? [] : [key],
    message: `${found} Expected 'servers' (tacklebox.yaml), 'mcpServers', 'context_servers', 'myai.toolbox' or 'tools.mcp_servers'.`,
  };
}

function describe({ dialect, what }: Sign): string {
  return `${what} (dialect ${dialect})`;
}

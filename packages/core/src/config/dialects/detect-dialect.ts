import { suggestion } from "../../text/nearest-name.ts";
import type { Path } from "../document/path.ts";
import { printable } from "../document/path.ts";
import type { Dialect } from "./dialect.ts";
import { placesIn } from "./server-places.ts";

export type Detection =
  | { readonly kind: "ok"; readonly dialect: Dialect }
  | { readonly kind: "invalid"; readonly message: string; readonly path: Path };

interface Sign {
  readonly dialect: Dialect;
  readonly path: Path;
  /** The keys by which the dialect was recognized, for messages. */
  readonly what: string;
}

/** Detects by its keys which dialect a file is written in. */
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
    message: `This file mixes two ways of describing servers: ${describe(first)} and ${describe(other)}. Use only one of them per file.`,
  };
}

function findSigns(root: Readonly<Record<string, unknown>>): Sign[] {
  const signs = placesIn(root).map(({ dialect, sign }) => ({ dialect, path: sign, what: describeKeys(dialect, sign) }));
  return "toolbox" in root && !signs.some((sign) => takesToolbox(sign, root))
    ? [{ dialect: "native", path: ["toolbox"], what: "'toolbox'" }, ...signs]
    : signs;
}

/**
 * Whether `toolbox` may stand beside these servers: it says nothing about them, and no other program has it. `servers` is
 * a key of ours too, so a file that also has other keys of ours is one of ours with a mistake in it.
 */
function takesToolbox({ dialect, path }: Sign, root: Readonly<Record<string, unknown>>): boolean {
  if (dialect === "gateway") return true;
  return dialect === "mcp-servers" && (path[0] !== "servers" || !OWN_KEYS.some((key) => key in root));
}

/** Other programs use these keys as well, so they only count if nothing else identifies the dialect. */
const OWN_KEYS = ["calls", "models", "gpts", "custom_tools"];

function describeKeys(dialect: Dialect, sign: readonly string[]): string {
  const key = `'${sign.join(".")}'`;
  return key === "'servers'" && dialect !== "native" ? `${key} with 'type' or 'inputs'` : key;
}

const NATIVE_KEYS = ["servers", "toolbox", ...OWN_KEYS];
const EXPECTED_KEYS = [...NATIVE_KEYS, "mcpServers", "context_servers", "myai", "tools"];

function fallBack(root: Readonly<Record<string, unknown>>): Detection {
  if (OWN_KEYS.some((key) => key in root)) return { kind: "ok", dialect: "native" };
  const [key] = Object.keys(root);
  const meant = key === undefined || EXPECTED_KEYS.includes(key) ? "" : suggestion(key, EXPECTED_KEYS);
  const found =
    key === undefined
      ? "The file is empty."
      : `No servers are described here: '${printable(key)}' is not a key that does.${meant}`;
  return {
    kind: "invalid",
    path: key === undefined ? [] : [key],
    message: `${found} Expected 'servers' (tacklebox.yaml), 'mcpServers', 'context_servers', 'myai.toolbox' or 'tools.mcp_servers'.`,
  };
}

function describe({ dialect, what }: Sign): string {
  return `${what} (dialect ${dialect})`;
}

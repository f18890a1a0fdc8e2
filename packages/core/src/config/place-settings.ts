import type { PlaceOf, Setting } from "../ports/setting-place.ts";
import { type Override, sourceOf } from "./apply-overrides.ts";
import type { Dialect } from "./dialects/dialect.ts";
import { findServersPlace } from "./dialects/server-places.ts";
import { translateEntry } from "./dialects/translate-entry.ts";
import { isMap } from "./document/check-shape.ts";
import { type Path, startsWith } from "./document/path.ts";
import type { SourceDocument } from "./document/read-document.ts";

interface ReadFile {
  readonly dialect: Dialect;
  readonly file: string;
  readonly document: SourceDocument;
  /** The file's value, overrides included. */
  readonly root: Readonly<Record<string, unknown>>;
  readonly overrides: readonly Override[];
}

/** Where a file's settings are written. A place is looked up when it is asked for: few settings ever are. */
export function createPlaces({ dialect, file, document, root, overrides }: ReadFile): PlaceOf {
  return (setting) => {
    const path = setting.of === "toolbox" ? toolboxPath(setting, dialect) : serverPath(setting, dialect, root);
    if (path === undefined || stepTo(root, path) === undefined) return undefined;
    const override = overrides.findLast((one) => startsWith(path, one.path));
    if (override !== undefined) return sourceOf(override.variable);
    const [found] = document.toProblems([{ path, at: "key", message: "" }]);
    return found?.line === undefined ? file : `${file}:${found.line}`;
  };
}

function toolboxPath({ key, index, field }: Extract<Setting, { of: "toolbox" }>, dialect: Dialect): Path {
  const start = dialect === "toolbox" ? ["myai", "toolbox"] : ["toolbox"];
  return [...start, key, ...(index === undefined ? [] : [index]), ...(field === undefined ? [] : [field])];
}

function serverPath(
  { server, key, index }: Extract<Setting, { of: "server" }>,
  dialect: Dialect,
  root: ReadFile["root"],
): Path | undefined {
  const start = findServersPlace(root).path;
  const servers = stepTo(root, start);
  const name = Array.isArray(servers)
    ? servers.findIndex((entry: unknown) => isMap(entry) && entry.name === server)
    : server;
  const entry = stepTo(servers, [name]);
  if (entry === undefined) return undefined;
  const translation = dialect === "mcp-servers" ? translateEntry(server, entry) : undefined;
  const written = translation?.kind === "ok" ? translation.origins.get(key) : undefined;
  return [...start, name, ...(written ?? [key]), ...(index === undefined ? [] : [index])];
}

function stepTo(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((holder, step) => {
    if (Array.isArray(holder)) return typeof step === "number" ? holder[step] : undefined;
    return isMap(holder) && Object.hasOwn(holder, step) ? holder[String(step)] : undefined;
  }, value);
}

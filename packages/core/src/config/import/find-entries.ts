import { detectDialect } from "../dialects/detect-dialect.ts";
import { isVsCode, valueAt } from "../dialects/server-places.ts";
import { isMap } from "../document/check-shape.ts";
import { type Path, pathText } from "../document/path.ts";
import type { Report } from "../document/report.ts";

/** Programs whose files are recognized by their location. */
export type ImportProgram = "claude" | "cursor" | "vscode" | "zed";

/** One server as it is written in the file. */
export interface FoundEntry {
  readonly name: string;
  readonly value: unknown;
  readonly path: Path;
  /** Whether it is written like in our own files or in other programs'. */
  readonly syntax: "ours" | "theirs";
  /** The folder it belongs to, if the file holds several projects. */
  readonly project?: string;
}

type Root = Readonly<Record<string, unknown>>;

/** Finds every server in the file, in the order of the file. */
export function findEntries(root: Root, program: ImportProgram | undefined, report: Report): readonly FoundEntry[] {
  const found: FoundEntry[] = [];
  const addMap = (path: Path, syntax: FoundEntry["syntax"], project?: string): void => {
    const map = valueAt(root, path);
    if (map === undefined || map === null) return;
    if (!isMap(map)) {
      report.problem(path, `${pathText(path)} must be a map of server names to entries`);
      return;
    }
    for (const [name, value] of Object.entries(map))
      found.push({ name, value, path: [...path, name], syntax, ...(project === undefined ? {} : { project }) });
  };
  addMap(["mcpServers"], "theirs");
  addMap(["context_servers"], "theirs");
  addMap(["servers"], program === "vscode" || isVsCode(root) ? "theirs" : "ours");
  addMap(["mcp", "servers"], "theirs");
  addMap(["tools", "mcp_servers"], "ours");
  if (isMap(root.projects))
    for (const folder of Object.keys(root.projects)) addMap(["projects", folder, "mcpServers"], "theirs", folder);
  found.push(...fromList(root));
  if (found.length === 0 && program === undefined) reportNothing(root, report);
  return found;
}

/** Collects the descriptions that VS Code shows when it asks for an input, by input id. */
export function findHints(root: Root): ReadonlyMap<string, string> {
  const lists = [root.inputs, valueAt(root, ["mcp", "inputs"])];
  return new Map(
    lists.flatMap((list) =>
      (Array.isArray(list) ? list : []).flatMap((input: unknown) =>
        isMap(input) && typeof input.id === "string" && typeof input.description === "string"
          ? [[input.id, input.description] as const]
          : [],
      ),
    ),
  );
}

/** Reads the list of a toolbox file, whose servers are required unless they say otherwise. */
function fromList(root: Root): FoundEntry[] {
  const path = ["myai", "toolbox", "mcps"];
  const list = valueAt(root, path);
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown, index) => {
    if (!isMap(item) || typeof item.name !== "string") return [];
    const { name, ...value } = item;
    return [{ name, value: { required: true, ...value }, path: [...path, index], syntax: "ours" as const }];
  });
}

/** Reports a file that has no place for servers, which is probably a mistake. A file with an empty place is fine. */
function reportNothing(root: Root, report: Report): void {
  if ("projects" in root || isMap(root.mcp)) return;
  const detection = detectDialect(root);
  if (detection.kind === "invalid") report.problem(detection.path, detection.message, "key");
}

import { isMap } from "../document/check-shape.ts";

const LARGE_TEXT = 1024 * 1024;

/**
 * Claude Code keeps its servers in one file with its history, which can exceed the size limit of a config file.
 * Such a file is reduced to the parts that can hold servers; any other text is returned unchanged.
 */
export function keepServersOnly(text: string): string {
  if (text.length <= LARGE_TEXT) return text;
  const root = parseJson(text);
  if (!isMap(root) || !("mcpServers" in root || "projects" in root)) return text;
  const projects = isMap(root.projects) ? Object.entries(root.projects) : [];
  return JSON.stringify({
    ...("mcpServers" in root ? { mcpServers: root.mcpServers } : {}),
    projects: Object.fromEntries(
      projects.flatMap(([folder, project]) =>
        isMap(project) && isMap(project.mcpServers) && Object.keys(project.mcpServers).length > 0
          ? [[folder, { mcpServers: project.mcpServers }]]
          : [],
      ),
    ),
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: the reader reports that, with the position.
    return undefined;
  }
}

import { LOCAL_TOOLS } from "../catalog/local-tools.ts";
import { type ServerDefinition, UNGOVERNED } from "../domain/server.ts";
import type { ToolboxSettings } from "../domain/tool.ts";
import type { StartProblem } from "../engine-host.ts";

/** The built-in server of local tools; no server unless the toolbox enables some. It is always strict (S4.11). */
export function localServer(settings: ToolboxSettings): ServerDefinition[] {
  if (settings.local.length === 0) return [];
  return [
    {
      scope: "local",
      key: "local",
      name: "local",
      launch: { transport: "local" },
      ...UNGOVERNED,
      mode: "strict",
      required: true,
      allow: settings.local,
    },
  ];
}

export function unknownLocalTools(settings: ToolboxSettings): StartProblem[] {
  const known = LOCAL_TOOLS.map(({ name }) => name);
  return settings.local
    .filter((name) => !known.includes(name))
    .map((tool) => ({
      kind: "misconfigured",
      tool,
      text: `toolbox.local names '${tool}', which is not a local tool. Local tools: ${known.join(", ")}`,
    }));
}

import { LOCAL_TOOLS } from "../catalog/local-tools.ts";
import type { StartProblem } from "../domain/engine.ts";
import { DEFAULT_SERVER_TIMEOUT_MS } from "../domain/limits.ts";
import type { ServerDefinition } from "../domain/server.ts";
import type { ToolboxSettings } from "../domain/tool.ts";

/** The built-in server of local tools; none unless the toolbox enables some. Always strict (S4.11). */
export function localServer(settings: ToolboxSettings): ServerDefinition[] {
  if (settings.local.length === 0) return [];
  return [
    {
      scope: "local",
      key: "local",
      name: "local",
      launch: { transport: "local" },
      protocol: "auto",
      mode: "strict",
      defaultToolConfig: {},
      required: true,
      enabled: true,
      retryAttempts: 0,
      timeoutMs: DEFAULT_SERVER_TIMEOUT_MS,
      reconnect: "auto",
      include: "always",
      pin: "warn",
      allow: [],
      deny: [],
      prompts: [],
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

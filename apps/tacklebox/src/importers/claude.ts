import { type Importer, pathOf, settingsFolder } from "./importer.ts";

/** Claude Desktop, then Claude Code. */
export const claude: Importer = {
  program: "claude",
  title: "Claude",
  places(surroundings) {
    const { env, home, cwd } = surroundings;
    const { join } = pathOf(surroundings);
    return [
      join(settingsFolder(surroundings), "Claude", "claude_desktop_config.json"),
      join(env.CLAUDE_CONFIG_DIR || home, ".claude.json"),
      join(cwd, ".mcp.json"),
    ];
  },
};

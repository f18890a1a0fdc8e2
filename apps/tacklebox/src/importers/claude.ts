import { type Importer, pathOf, settingsFolder } from "./importer.ts";

/** Claude Desktop, then Claude Code. */
export const claude: Importer = {
  program: "claude",
  title: "Claude",
  places(environment) {
    const { env, home, cwd } = environment;
    const { join } = pathOf(environment);
    return [
      join(settingsFolder(environment), "Claude", "claude_desktop_config.json"),
      join(env.CLAUDE_CONFIG_DIR || home, ".claude.json"),
      join(cwd, ".mcp.json"),
    ];
  },
};

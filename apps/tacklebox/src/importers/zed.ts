import { type Importer, pathOf, settingsFolder } from "./importer.ts";

export const zed: Importer = {
  program: "zed",
  title: "Zed",
  places(surroundings) {
    const { home, cwd, platform } = surroundings;
    const { join } = pathOf(surroundings);
    const settings = settingsFolder(surroundings);
    const own =
      platform === "darwin" ? join(home, ".config", "zed") : join(settings, platform === "win32" ? "Zed" : "zed");
    return [join(own, "settings.json"), join(cwd, ".zed", "settings.json")];
  },
};

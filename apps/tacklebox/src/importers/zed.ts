import { type Importer, pathOf, settingsFolder } from "./importer.ts";

export const zed: Importer = {
  program: "zed",
  title: "Zed",
  places(environment) {
    const { home, cwd, platform } = environment;
    const { join } = pathOf(environment);
    const settings = settingsFolder(environment);
    const own =
      platform === "darwin" ? join(home, ".config", "zed") : join(settings, platform === "win32" ? "Zed" : "zed");
    return [join(own, "settings.json"), join(cwd, ".zed", "settings.json")];
  },
};

import { type Importer, pathOf, settingsFolder } from "./importer.ts";

const EDITIONS = ["Code", "Code - Insiders", "VSCodium"];

export const vscode: Importer = {
  program: "vscode",
  title: "VS Code",
  places(environment) {
    const { join } = pathOf(environment);
    const folders = [
      ...EDITIONS.map((edition) => join(settingsFolder(environment), edition, "User")),
      join(environment.cwd, ".vscode"),
    ];
    return folders.flatMap((folder) => [join(folder, "mcp.json"), join(folder, "settings.json")]);
  },
};

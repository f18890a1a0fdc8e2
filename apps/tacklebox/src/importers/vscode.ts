import { type Importer, pathOf, settingsFolder } from "./importer.ts";

const EDITIONS = ["Code", "Code - Insiders", "VSCodium"];

export const vscode: Importer = {
  program: "vscode",
  title: "VS Code",
  places(surroundings) {
    const { join } = pathOf(surroundings);
    const folders = [
      ...EDITIONS.map((edition) => join(settingsFolder(surroundings), edition, "User")),
      join(surroundings.cwd, ".vscode"),
    ];
    return folders.flatMap((folder) => [join(folder, "mcp.json"), join(folder, "settings.json")]);
  },
};

import { type Importer, pathOf } from "./importer.ts";

export const cursor: Importer = {
  program: "cursor",
  title: "Cursor",
  places(surroundings) {
    const { join } = pathOf(surroundings);
    return [surroundings.home, surroundings.cwd].map((folder) => join(folder, ".cursor", "mcp.json"));
  },
};

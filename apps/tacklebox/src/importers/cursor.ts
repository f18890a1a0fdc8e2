import { type Importer, pathOf } from "./importer.ts";

export const cursor: Importer = {
  program: "cursor",
  title: "Cursor",
  places(environment) {
    const { join } = pathOf(environment);
    return [environment.home, environment.cwd].map((folder) => join(folder, ".cursor", "mcp.json"));
  },
};

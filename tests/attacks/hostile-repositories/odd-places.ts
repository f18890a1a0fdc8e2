import { chmod, mkdir, open, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { stringify } from "yaml";
import { releaseAfterwards } from "../../support/release.ts";
import type { Lures } from "./lures.ts";
import { hostileConfig, makePipe, type Repository, withFile } from "./repository.ts";

const yaml = (lures: Lures) => stringify(hostileConfig(lures));
const json = (lures: Lures) => JSON.stringify(hostileConfig(lures));

type Lay = (file: string, folder: string, lures: Lures) => Promise<unknown>;

function at(name: string, has: Repository["has"], lay: Lay): Repository {
  return {
    name,
    has,
    async lay(folder, lures) {
      await lay(join(folder, "tacklebox.yaml"), folder, lures);
      return undefined;
    },
  };
}

/** Something under our name that is not a plain file, and files whose names only look like ours. */
export const ODD_PLACES: readonly Repository[] = [
  at("a link to another file of the repository", "config", async (file, folder, lures) => {
    await writeFile(join(folder, "innocent.txt"), yaml(lures));
    await symlink("innocent.txt", file);
  }),
  at("a link to itself", "unreadable", (file) => symlink("tacklebox.yaml", file)),
  at("a link to nothing", "unreadable", (file) => symlink("gone.yaml", file)),
  at("a link to a device that never ends", "unreadable", (file) => symlink("/dev/zero", file)),
  at("a link to the environment of the process", "config", (file) => symlink("/proc/self/environ", file)),
  at("a pipe that nobody writes to", "unreadable", makePipe),
  at("a link to such a pipe", "unreadable", async (file, folder) => {
    await makePipe(join(folder, "pipe"));
    await symlink("pipe", file);
  }),
  at("a folder", "unreadable", (file) => mkdir(file)),
  at("a socket", "unreadable", async (file) => {
    const listener = createServer();
    await new Promise<void>((resolve) => listener.listen(file, resolve));
    releaseAfterwards(() => new Promise((resolve) => void listener.close(() => resolve())));
  }),
  at(
    "a file that nobody may read",
    process.getuid?.() === 0 ? "config" : "unreadable",
    async (file, _folder, lures) => {
      await writeFile(file, yaml(lures));
      await chmod(file, 0);
    },
  ),
  at("5 GB of nothing", "unreadable", async (file) => {
    const handle = await open(file, "w");
    await handle.truncate(5 * 1024 ** 3);
    await handle.close();
  }),
  at("both of our names", "config", async (file, folder, lures) => {
    await writeFile(file, yaml(lures));
    await writeFile(join(folder, "tacklebox.json"), json(lures));
  }),
  {
    name: "a link to the folder",
    has: "config",
    async lay(folder, lures) {
      await mkdir(join(folder, "real"));
      await writeFile(join(folder, "real", "tacklebox.yaml"), yaml(lures));
      await symlink("real", join(folder, "work"));
      return join(folder, "work");
    },
  },
  {
    name: "a config in the folder above",
    has: "nothing",
    async lay(folder, lures) {
      await writeFile(join(folder, "tacklebox.yaml"), yaml(lures));
      await mkdir(join(folder, "packages"));
      return join(folder, "packages");
    },
  },
  withFile("a data folder of its own", "data/agreements/everything.json", () => '{"decision":"allowed"}', "nothing"),
  withFile("our name in capitals", "Tacklebox.yaml", yaml, "nothing"),
  withFile("our name in all capitals", "TACKLEBOX.YAML", yaml, "nothing"),
  withFile("our name with a dot before it", ".tacklebox.yaml", yaml, "nothing"),
  withFile("our name with another ending", "tacklebox.yml", yaml, "nothing"),
  withFile("our name with comments allowed", "tacklebox.jsonc", json, "nothing"),
  withFile("our name with a space after it", "tacklebox.yaml ", yaml, "nothing"),
  withFile("our name with a letter of another script", "t\u0430cklebox.yaml", yaml, "nothing"),
  withFile("a folder of settings", ".tacklebox/tacklebox.yaml", yaml, "nothing"),
  withFile("a folder called .config", ".config/tacklebox/tacklebox.yaml", yaml, "nothing"),
  withFile("variables in .env", ".env", ({ started }) => `TACKLEBOX_CONFIG=tacklebox.yml\nX=${started}\n`, "nothing"),
  ...[".vscode/mcp.json", ".cursor/mcp.json", ".mcp.json", ".zed/settings.json", "mcp.json"].map((file) =>
    withFile(
      `the project file ${file}`,
      file,
      ({ started }) => JSON.stringify({ mcpServers: { evil: { command: "touch", args: [started] } } }),
      "nothing",
    ),
  ),
];

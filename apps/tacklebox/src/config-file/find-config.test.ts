import { describe, expect, it } from "vitest";
import type { CommandEnvironment } from "../io.ts";
import { describeMissingConfig, type FileLookup, findConfig } from "./find-config.ts";
import { configFolder, dataFolder, whyFoldersAreRefused } from "./folders.ts";

const linux: CommandEnvironment = { env: {}, platform: "linux", home: "/home/ada", cwd: "/project" };
const mac: CommandEnvironment = { ...linux, platform: "darwin", home: "/Users/ada" };
const windows: CommandEnvironment = { env: {}, platform: "win32", home: "C:\\Users\\ada", cwd: "C:\\work" };

function lookup(...files: readonly string[]): FileLookup {
  return { exists: (file) => files.includes(file), isSameFolder: (a, b) => a === b };
}

describe("findConfig", () => {
  it("looks in the current folder, then in the config folder, yaml before json", () => {
    expect(findConfig(undefined, linux, lookup())).toEqual({
      kind: "missing",
      lookedAt: [
        "/project/tacklebox.yaml",
        "/project/tacklebox.json",
        "/home/ada/.config/tacklebox/tacklebox.yaml",
        "/home/ada/.config/tacklebox/tacklebox.json",
      ],
    });
  });

  it("picks the first that exists, and says that nobody chose a file of the current folder", () => {
    const own = "/home/ada/.config/tacklebox/tacklebox.json";
    const file = "/project/tacklebox.json";
    expect(findConfig(undefined, linux, lookup(own, file))).toEqual({ kind: "found", file, origin: "current-folder" });
    expect(findConfig(undefined, linux, lookup(own))).toEqual({ kind: "found", file: own, origin: "operator" });
  });

  it("takes the config folder for the operator's, also as the current folder", () => {
    const cwd = "/home/ada/.config/tacklebox";
    const file = `${cwd}/tacklebox.yaml`;
    expect(findConfig(undefined, { ...linux, cwd }, lookup(file))).toEqual({ kind: "found", file, origin: "operator" });
  });

  it("uses --config, else TACKLEBOX_CONFIG, without looking", () => {
    const environment = { ...linux, env: { TACKLEBOX_CONFIG: "other.yaml" } };
    const found = lookup("/project/tacklebox.yaml");
    expect(findConfig("my.yaml", environment, found)).toEqual({
      kind: "found",
      file: "/project/my.yaml",
      origin: "operator",
    });
    expect(findConfig(undefined, environment, found)).toEqual({
      kind: "found",
      file: "/project/other.yaml",
      origin: "operator",
    });
    expect(findConfig(undefined, { ...linux, env: { TACKLEBOX_CONFIG: "" } }, found)).toMatchObject({
      file: "/project/tacklebox.yaml",
    });
  });

  it("says where it looked and how to create one", () => {
    const text = describeMissingConfig(["/project/tacklebox.yaml"]);
    expect(text).toContain("No config file found. Looked at:\n  /project/tacklebox.yaml\n");
    expect(text).toContain("To create one: tacklebox init");
  });
});

describe("the config folder", () => {
  it.each([
    ["XDG_CONFIG_HOME", { ...linux, env: { XDG_CONFIG_HOME: "/cfg" } }, "/cfg/tacklebox"],
    [
      "~/.config when XDG_CONFIG_HOME is relative",
      { ...linux, env: { XDG_CONFIG_HOME: "cfg" } },
      "/home/ada/.config/tacklebox",
    ],
    ["Application Support on macOS", mac, "/Users/ada/Library/Application Support/tacklebox"],
    ["APPDATA on Windows", { ...windows, env: { APPDATA: "D:\\roaming" } }, "D:\\roaming\\tacklebox"],
    ["the default of Windows", windows, "C:\\Users\\ada\\AppData\\Roaming\\tacklebox"],
  ])("is %s", (_, environment, folder) => expect(configFolder(environment)).toBe(folder));
});

describe("the data folder", () => {
  it.each([
    ["TACKLEBOX_DATA before all", { ...linux, env: { TACKLEBOX_DATA: "/here", XDG_DATA_HOME: "/d" } }, "/here"],
    ["XDG_DATA_HOME", { ...linux, env: { XDG_DATA_HOME: "/d" } }, "/d/tacklebox"],
    ["~/.local/share", linux, "/home/ada/.local/share/tacklebox"],
    ["Application Support on macOS", mac, "/Users/ada/Library/Application Support/tacklebox/data"],
    ["LOCALAPPDATA on Windows", { ...windows, env: { LOCALAPPDATA: "D:\\local" } }, "D:\\local\\tacklebox\\data"],
    ["the default of Windows", windows, "C:\\Users\\ada\\AppData\\Local\\tacklebox\\data"],
  ])("is %s", (_, environment, folder) => expect(dataFolder(environment)).toBe(folder));
});

describe("folders that may have come with the current folder", () => {
  it.each([
    ["a relative data folder", { ...linux, env: { TACKLEBOX_DATA: "my data" } }, "TACKLEBOX_DATA='/project/my data'"],
    ["one on Windows", { ...windows, env: { TACKLEBOX_DATA: "C:data" } }, "TACKLEBOX_DATA='C:\\work\\data'"],
    ["an empty home folder", { ...linux, home: "" }, "Set HOME to the path"],
    ["a relative home folder", { ...mac, home: "." }, "Set HOME to the path"],
    ["an empty home folder on Windows", { ...windows, home: "" }, "Set USERPROFILE to the path"],
    [
      "an empty home folder where only the config is in it",
      { ...linux, home: "", env: { TACKLEBOX_DATA: "/d" } },
      "Set HOME",
    ],
  ])("are refused: %s", (_, environment, way) => expect(whyFoldersAreRefused(environment)).toContain(way));

  it.each([
    ["an absolute data folder, even in the current folder", { ...linux, env: { TACKLEBOX_DATA: "/project/data" } }],
    ["no chosen one", { ...linux, env: { TACKLEBOX_DATA: "" } }],
    [
      "an empty home folder that is not needed",
      { ...linux, home: "", env: { XDG_CONFIG_HOME: "/c", TACKLEBOX_DATA: "/d" } },
    ],
  ])("are not: %s", (_, environment) => expect(whyFoldersAreRefused(environment)).toBeUndefined());
});

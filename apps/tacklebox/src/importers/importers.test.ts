import { describe, expect, it } from "vitest";
import type { CommandEnvironment } from "../io.ts";
import { IMPORTERS } from "./importers.ts";

const LINUX: CommandEnvironment = { platform: "linux", home: "/home/ada", cwd: "/project", env: {} };
const MAC: CommandEnvironment = { platform: "darwin", home: "/Users/ada", cwd: "/project", env: {} };
const WINDOWS: CommandEnvironment = {
  platform: "win32",
  home: "C:\\Users\\ada",
  cwd: "C:\\work",
  env: { APPDATA: "C:\\Users\\ada\\AppData\\Roaming" },
};

function placesOf(program: string, environment: CommandEnvironment): readonly string[] | undefined {
  return IMPORTERS.find((importer) => importer.program === program)?.places(environment);
}

describe("where programs keep their servers", () => {
  it.each([
    [
      "claude",
      LINUX,
      ["/home/ada/.config/Claude/claude_desktop_config.json", "/home/ada/.claude.json", "/project/.mcp.json"],
    ],
    [
      "claude",
      MAC,
      [
        "/Users/ada/Library/Application Support/Claude/claude_desktop_config.json",
        "/Users/ada/.claude.json",
        "/project/.mcp.json",
      ],
    ],
    [
      "claude",
      WINDOWS,
      [
        "C:\\Users\\ada\\AppData\\Roaming\\Claude\\claude_desktop_config.json",
        "C:\\Users\\ada\\.claude.json",
        "C:\\work\\.mcp.json",
      ],
    ],
    ["cursor", LINUX, ["/home/ada/.cursor/mcp.json", "/project/.cursor/mcp.json"]],
    ["cursor", WINDOWS, ["C:\\Users\\ada\\.cursor\\mcp.json", "C:\\work\\.cursor\\mcp.json"]],
    ["zed", LINUX, ["/home/ada/.config/zed/settings.json", "/project/.zed/settings.json"]],
    ["zed", MAC, ["/Users/ada/.config/zed/settings.json", "/project/.zed/settings.json"]],
    ["zed", WINDOWS, ["C:\\Users\\ada\\AppData\\Roaming\\Zed\\settings.json", "C:\\work\\.zed\\settings.json"]],
  ])("%s", (program, environment, places) => expect(placesOf(program, environment)).toEqual(places));

  it("vscode: every edition's own folder, then the workspace", () => {
    const places = placesOf("vscode", MAC);
    expect(places?.at(0)).toBe("/Users/ada/Library/Application Support/Code/User/mcp.json");
    expect(places?.at(1)).toBe("/Users/ada/Library/Application Support/Code/User/settings.json");
    expect(places?.slice(-2)).toEqual(["/project/.vscode/mcp.json", "/project/.vscode/settings.json"]);
    expect(placesOf("vscode", LINUX)?.at(0)).toBe("/home/ada/.config/Code/User/mcp.json");
    expect(placesOf("vscode", WINDOWS)?.at(0)).toBe("C:\\Users\\ada\\AppData\\Roaming\\Code\\User\\mcp.json");
  });

  it("respects the variables that move these folders", () => {
    const env = { XDG_CONFIG_HOME: "/xdg", CLAUDE_CONFIG_DIR: "/claude" };
    expect(placesOf("claude", { ...LINUX, env })?.slice(0, 2)).toEqual([
      "/xdg/Claude/claude_desktop_config.json",
      "/claude/.claude.json",
    ]);
  });
});

import type { ServerView } from "@tacklebox/core";
import { describe, expect, it } from "vitest";
import { serverView } from "../../testing/scripted-engine.ts";
import { plain } from "../colour.ts";
import type { TableStyle } from "../table.ts";
import { causesToShow, formatServers, type ShownCauses } from "./server-report.ts";

const HEADING = "NAME   STATUS  TRANSPORT  PROTOCOL  TOOLS  CAUSE";
const style = { paint: plain, columns: undefined };
const down = serverView({ toolCount: 0, status: "error", cause: "It ended.\nIts last output:\nno \u001b[31mlicence" });

function shown(views: readonly ServerView[], where: TableStyle = style, causes: ShownCauses = "all"): string[] {
  return formatServers(views, where, causes).split("\n");
}

describe("the table of servers", () => {
  it("T18 is followed by each cause, whole and with nothing a terminal would interpret", () => {
    expect(shown([down])).toEqual([
      HEADING,
      "files  error   stdio      -         0      It ended.",
      "",
      "Why:",
      "  files: It ended.",
      "    Its last output:",
      "    no \\x1b[31mlicence",
      "",
    ]);
  });

  it("holds a cause of one line itself, unless a screen may be too narrow for it", () => {
    const short = serverView({ toolCount: 0, status: "error", cause: "gone" });
    expect(shown([short])).toEqual([HEADING, "files  error   stdio      -         0      gone", ""]);
    expect(shown([short], { ...style, columns: 40 })).toContain("  files: gone");
  });

  it("leaves out causes that the log has just told on the same screen", () => {
    expect(shown([down], style, "none")).toEqual([HEADING, "files  error   stdio      -         0      It ended.", ""]);
    const screen = { stdoutIsTerminal: true, stderrIsTerminal: true };
    const common = { config: undefined, json: false, logLevel: undefined, logFormat: undefined };
    expect(causesToShow(screen, common)).toBe("none");
    expect(causesToShow(screen, { ...common, logLevel: "error" })).toBe("all");
    expect(causesToShow({ ...screen, stderrIsTerminal: false }, common)).toBe("all");
  });

  it("T18 is followed by quarantined tools, with nothing a terminal would interpret", () => {
    const quarantined = [{ name: "bad\u001b[2J", reason: "no schema" }];
    const text = formatServers([serverView({ quarantined })], style, "all");
    expect(text).toContain("\nQuarantined tools:\n  files bad\\x1b[2J: no schema\n");
  });
});

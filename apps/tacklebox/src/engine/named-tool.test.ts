import { describe, expect, it } from "vitest";
import { planFor, readToolName } from "./named-tool.ts";

const SERVERS = ["files", "files.old", "web"];
const named = (server: string, tool: string) => ({ server, tool });

describe("words that name a tool", () => {
  it("are a server and its tool", () => {
    const read = readToolName("files", "files.read", SERVERS);
    expect(read).toEqual({ readings: [named("files", "files.read")], server: undefined });
    expect(planFor(read)).toEqual({ kind: "one-server", server: "files" });
  });

  it("are both in one word, where the name of a server comes first", () => {
    for (const word of ["web.get", "web:get", "web/get"])
      expect(readToolName(word, undefined, SERVERS).readings).toEqual([named("web", "get"), named("web", word)]);
    expect(planFor(readToolName("web.get", undefined, SERVERS))).toEqual({ kind: "one-server", server: "web" });
  });

  it("may belong to several servers, the longest name first; then all of them are started", () => {
    const read = readToolName("files.old.list", undefined, SERVERS);
    expect(read.readings).toEqual([
      named("files.old", "list"),
      named("files.old", "files.old.list"),
      named("files", "old.list"),
      named("files", "files.old.list"),
    ]);
    expect(planFor(read)).toEqual({ kind: "join-later" });
  });

  it("are a name alone, with dots or without", () => {
    for (const word of ["read", "filesystem.read", "toString"]) {
      const read = readToolName(word, undefined, SERVERS);
      expect(read).toEqual({ readings: [{ tool: word }], server: undefined });
      expect(planFor(read)).toEqual({ kind: "join-later" });
    }
  });

  it("are a server alone, which may have a tool of its own name", () => {
    const read = readToolName("web", undefined, SERVERS);
    expect(read).toEqual({ readings: [named("web", "web")], server: "web" });
    expect(planFor(read)).toEqual({ kind: "one-server", server: "web" });
  });
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { hostname } from "node:os";
import { describe, expect, it } from "vitest";
import {
  createMember,
  createProcessTable,
  parseStart,
  readHost,
  readSystemFacts,
  type SystemFacts,
} from "./process-table.ts";

const system = readSystemFacts();

function factsOf(changes: Partial<SystemFacts>): SystemFacts {
  return { host: "here", readStart: () => "777", exists: () => true, ...changes };
}

describe("a process as a member of the store", () => {
  it("names the process and its start", () => {
    expect(createMember(42, "n", factsOf({}))).toEqual({ id: "42:777:n", host: "here", pid: 42, start: "777" });
    const unknownStart = factsOf({ readStart: () => undefined });
    expect(createMember(42, "n", unknownStart)).toEqual({ id: "42:-:n", host: "here", pid: 42 });
  });

  it("is alive while this process is", () => {
    const { look, isOwnerAlive } = createProcessTable(system);
    const member = createMember(process.pid, "n", system);
    expect([look(member), isOwnerAlive(member.id)]).toEqual(["alive", true]);
  });

  it("is dead when its process has ended", async () => {
    const { look, isOwnerAlive } = createProcessTable(system);
    const child = spawn(process.execPath, ["-e", "process.stdin.resume()"], { stdio: ["pipe", "ignore", "ignore"] });
    const member = createMember(child.pid ?? 0, "n", system);
    expect([look(member), isOwnerAlive(member.id)]).toEqual(["alive", true]);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect([look(member), isOwnerAlive(member.id)]).toEqual(["dead", false]);
  });

  it("is dead when another process has its pid now", () => {
    const { look, isOwnerAlive } = createProcessTable(factsOf({ readStart: () => "778" }));
    const member = createMember(42, "n", factsOf({}));
    expect([look(member), isOwnerAlive(member.id)]).toEqual(["dead", false]);
  });

  it("goes by the pid alone where the start is unknown", () => {
    const unknownStart = factsOf({ readStart: () => undefined });
    const before = createMember(42, "n", unknownStart);
    expect(createProcessTable(factsOf({})).look(before)).toBe("alive");
    expect(createProcessTable(factsOf({})).isOwnerAlive(before.id)).toBe(true);
    expect(createProcessTable(unknownStart).look(createMember(42, "n", factsOf({})))).toBe("alive");
  });

  it("is elsewhere when it belongs to another host, whichever process has its pid here", () => {
    const { look } = createProcessTable(factsOf({}));
    expect(look(createMember(42, "n", factsOf({ host: "there" })))).toBe("elsewhere");
  });

  it.each(["", "x", "0:1:n", "-1:1:n", "99999999999:1:n"])(
    "is dead when its owner id is not one of ours: %j",
    (owner) => {
      expect(createProcessTable(factsOf({ readStart: () => "1" })).isOwnerAlive(owner)).toBe(false);
    },
  );

  it("finds the start after a program name that imitates fields", () => {
    const fields = Array.from({ length: 30 }, (_, index) => String(index + 4));
    expect(parseStart(`42 (evil) R 1) (x) S ${fields.join(" ")}`)).toBe("22");
  });

  it("has a host that begins with the machine's name and, on Linux, distinguishes boots and containers", () => {
    const [name, ...rest] = readHost().split(" ");
    expect(name).toBe(hostname());
    if (process.platform === "linux") expect(rest.join(" ")).toMatch(/^[0-9a-f-]{36} pid:\[\d+\]$/);
  });
});

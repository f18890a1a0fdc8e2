import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { createOwner, isOwnerAlive, parseStart } from "./owner.ts";

const alive = () => true;

describe("the owner of a call", () => {
  it("names the process and when it began", () => {
    expect(createOwner(42, "n", () => "777")).toBe("42:777:n");
    expect(createOwner(42, "n", () => undefined)).toBe("42:-:n");
  });

  it("lives while this process does", () => expect(isOwnerAlive(createOwner(process.pid, "n"))).toBe(true));

  it("is dead when its process ended", async () => {
    const child = spawn(process.execPath, ["-e", "process.stdin.resume()"], { stdio: ["pipe", "ignore", "ignore"] });
    const owner = createOwner(child.pid ?? 0, "n");
    expect(isOwnerAlive(owner)).toBe(true);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(isOwnerAlive(owner)).toBe(false);
  });

  it("is dead when another process has its pid now", () => {
    expect(isOwnerAlive("42:777:n", () => "778", alive)).toBe(false);
    expect(isOwnerAlive("42:777:n", () => "777", alive)).toBe(true);
  });

  it("goes by the pid alone where the start cannot be told", () => {
    expect(isOwnerAlive("42:-:n", () => "778", alive)).toBe(true);
    expect(isOwnerAlive("42:777:n", () => undefined, alive)).toBe(true);
  });

  it.each(["", "x", "0:1:n", "-1:1:n", "99999999999:1:n"])("is dead when it is no owner of ours: %j", (owner) => {
    expect(isOwnerAlive(owner, () => "1", alive)).toBe(false);
  });

  it("finds the start behind a program name that imitates fields", () => {
    const fields = Array.from({ length: 30 }, (_, index) => String(index + 4));
    expect(parseStart(`42 (evil) R 1) (x) S ${fields.join(" ")}`)).toBe("22");
  });
});

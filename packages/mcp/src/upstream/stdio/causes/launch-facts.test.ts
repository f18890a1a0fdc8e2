import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { explainCommand } from "./explain-launch.ts";
import { inspectCommand, missingScript } from "./launch-facts.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "tacklebox-causes-"));
  program("plain", "#!/bin/sh\n");
  program("lost", "#!/no/such/interpreter -x\n");
  program("bare", "echo hello\n");
  const elf = Buffer.alloc(64);
  elf.write("\x7fELF", "latin1");
  elf.writeUInt16LE(process.arch === "riscv64" ? 62 : 243, 18);
  program("foreign", elf);
  program("windows", Buffer.concat([Buffer.from("MZ"), Buffer.alloc(64)]));
  writeFileSync(path.join(folder, "text"), "#!/bin/sh\n");
  mkdirSync(path.join(folder, "folder"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function program(name: string, content: string | Buffer): void {
  writeFileSync(path.join(folder, name), content);
  chmodSync(path.join(folder, name), 0o755);
}

describe.skipIf(process.platform === "win32")("what is wrong with a command", () => {
  it.each([
    ["plain", "nothing-wrong"],
    ["lost", "no-interpreter"],
    ["bare", "no-first-line"],
    ["foreign", "other-machine"],
    ["windows", "other-machine"],
    ["text", "not-executable"],
    ["absent", "missing"],
  ])("is seen in PATH and in a path alike: %s is %s", async (name, kind) => {
    const inPath = await inspectCommand({ command: name, args: [] }, `/no/such/folder:${folder}`);
    const asPath = await inspectCommand({ command: `./${name}`, args: [], cwd: folder }, "");
    expect([inPath.kind, asPath.kind]).toEqual([kind, kind]);
  });

  it("takes a folder for a program only if it is named as one", async () => {
    expect(await inspectCommand({ command: "./folder", args: [], cwd: folder }, "")).toMatchObject({ kind: "folder" });
    expect(await inspectCommand({ command: "folder", args: [] }, folder)).toMatchObject({ kind: "missing" });
  });

  it("prefers a later program that can be run to an earlier file that cannot", async () => {
    const later = path.join(folder, "folder");
    program("folder/text", "#!/bin/sh\n");
    expect(await inspectCommand({ command: "text", args: [] }, `${folder}:${later}`)).toEqual({
      kind: "nothing-wrong",
      file: path.join(later, "text"),
    });
  });

  it("names the program that the command comes with, and never a PATH that the entry sets", async () => {
    const launch = { transport: "stdio", command: "uvx", args: [], env: {} } as const;
    const missing = await inspectCommand(launch, "/one:/two");
    expect(explainCommand(missing, launch)).toBe(
      'The command "uvx" was not found. Check its spelling, install uv, which it comes with, or give its full path.\nSearched: /one:/two',
    );
    expect(explainCommand(missing, { ...launch, env: { PATH: "/one:/two" } })).not.toContain("/one");
  });
});

describe("an argument that names a script", () => {
  it("is missed if there is no such file", async () => {
    const missing = (...args: string[]) => missingScript({ command: "node", args, cwd: folder });
    expect(await missing("--flag", "./server.js", "x.py")).toBe(path.join(folder, "server.js"));
    expect(await missing("-e", "1", "https://a.example/b.js")).toBeUndefined();
    writeFileSync(path.join(folder, "here.mjs"), "");
    expect(await missing("here.mjs", "gone.js")).toBeUndefined();
  });
});

import { constants } from "node:fs";
import { access, open, stat } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import type { StdioLaunch } from "@tacklebox/core";

/** What the file system tells about a command that could not be started, or ended at once. */
export type CommandFact =
  /** `searched`: the PATH that was searched; absent for a command that is a path. */
  | { readonly kind: "missing"; readonly searched?: string }
  | { readonly kind: "folder"; readonly file: string }
  | { readonly kind: "not-executable"; readonly file: string }
  /** Its first line names a program that does not exist. */
  | { readonly kind: "no-interpreter"; readonly file: string; readonly interpreter: string }
  | { readonly kind: "no-first-line"; readonly file: string }
  | { readonly kind: "other-machine"; readonly file: string; readonly built: string }
  | { readonly kind: "nothing-wrong"; readonly file: string };

type Launch = Pick<StdioLaunch, "command" | "args" | "cwd">;

/** Looks at the command as the system would find it. Meaningful on systems with executable bits and `#!` only. */
export async function inspectCommand({ command, cwd }: Launch, searched: string): Promise<CommandFact> {
  if (/[/\\]/.test(command)) return inspectFile(path.resolve(cwd ?? ".", command));
  let first: CommandFact | undefined;
  for (const folder of searched.split(path.delimiter).filter((entry) => entry !== "")) {
    const fact = await inspectFile(path.resolve(cwd ?? ".", folder, command));
    if (fact.kind === "missing" || fact.kind === "folder") continue;
    if (fact.kind !== "not-executable") return fact;
    first ??= fact;
  }
  return first ?? { kind: "missing", searched };
}

/** The first argument that is a path of a script, if there is no such file. */
export async function missingScript({ args, cwd }: Launch): Promise<string | undefined> {
  const script = args.find((arg) => /^[^-].*[/\\.]/.test(arg) && SCRIPT.test(arg));
  if (script === undefined || script.includes("://")) return undefined;
  const file = path.resolve(cwd ?? ".", script);
  return (await stat(file).catch(() => undefined)) === undefined ? file : undefined;
}

const SCRIPT = /\.(?:[cm]?[jt]s|py|rb|sh|jar)$/i;

async function inspectFile(file: string): Promise<CommandFact> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) return { kind: "missing" };
  if (found.isDirectory()) return { kind: "folder", file };
  const mayRun = await access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!mayRun) return { kind: "not-executable", file };
  return inspectHead(file, await headOf(file));
}

async function inspectHead(file: string, head: Buffer): Promise<CommandFact> {
  const built = head.length < 20 ? undefined : foreignMachine(head);
  if (built !== undefined) return { kind: "other-machine", file, built };
  if (head.subarray(0, 2).toString("latin1") !== "#!") {
    return isText(head) ? { kind: "no-first-line", file } : { kind: "nothing-wrong", file };
  }
  const [interpreter = ""] = head.subarray(2).toString("utf8").split("\n", 1)[0]?.trim().split(/\s+/, 1) ?? [];
  const exists = (await stat(interpreter).catch(() => undefined)) !== undefined;
  return exists ? { kind: "nothing-wrong", file } : { kind: "no-interpreter", file, interpreter };
}

const HEAD_BYTES = 512;

async function headOf(file: string): Promise<Buffer> {
  const handle = await open(file, "r").catch(() => undefined);
  if (handle === undefined) return Buffer.alloc(0);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } catch {
    return Buffer.alloc(0);
  } finally {
    await handle.close();
  }
}

function isText(head: Buffer): boolean {
  return head.length > 0 && !head.includes(0);
}

/** The machines of ELF files, by the number in their header. */
const ELF_MACHINES: ReadonlyMap<number, string> = new Map([
  [3, "ia32"],
  [40, "arm"],
  [62, "x64"],
  [183, "arm64"],
  [243, "riscv64"],
]);

/** What a program was built for, if that is not this system; undefined if it may well run here. */
function foreignMachine(head: Buffer): string | undefined {
  const magic = head.readUInt32BE(0);
  const isElf = magic === 0x7f454c46;
  if (isElf && process.platform !== "darwin" && process.platform !== "win32") {
    const machine = ELF_MACHINES.get(head[5] === 2 ? head.readUInt16BE(18) : head.readUInt16LE(18));
    const isOlder = (machine === "ia32" && process.arch === "x64") || (machine === "arm" && process.arch === "arm64");
    return machine === undefined || machine === process.arch || isOlder ? undefined : `Linux on ${machine}`;
  }
  if (isElf) return "Linux";
  const isMach = [0xfeedface, 0xfeedfacf, 0xcefaedfe, 0xcffaedfe].includes(magic);
  if (isMach && process.platform !== "darwin") return "macOS";
  const isWindows = head.subarray(0, 2).toString("latin1") === "MZ";
  return isWindows && process.platform !== "win32" ? "Windows" : undefined;
}

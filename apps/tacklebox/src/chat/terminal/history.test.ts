import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openHistory } from "./history.ts";

async function historyFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tacklebox-history-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, "below", "chat-history");
}

const same = async (text: string) => text;

describe("the history of typed lines", () => {
  it("goes back from the newest line, and forward again to the line being typed", async () => {
    const history = openHistory(await historyFile(), same);
    for (const line of ["one", "two", "two"]) history.add(line);
    await history.settled();
    const walk = history.walk();
    const shown = (["older", "older", "older", "newer", "newer", "newer"] as const).map((where) =>
      walk(where, "typing"),
    );
    expect(shown).toEqual(["two", "one", undefined, "two", "typing", undefined]);
  });

  it("is saved for the next chat, readable by its owner alone and without secrets", async () => {
    const file = await historyFile();
    const first = openHistory(file, async (text) => text.replaceAll("hunter2", "[secret]"));
    first.add("log in with hunter2\nplease");
    await first.settled();
    expect(await readFile(file, "utf8")).toBe('"log in with [secret]\\nplease"\n');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const second = openHistory(file, same);
    await second.settled();
    expect(second.walk()("older", "")).toBe("log in with [secret]\nplease");
  });

  it("is not written before its secrets can be redacted, and never if they cannot be", async () => {
    const file = await historyFile();
    const opened = new AbortController();
    const late = openHistory(file, async (text) => {
      await new Promise((resolve) => opened.signal.addEventListener("abort", resolve));
      return text;
    });
    const never = openHistory(file, () => Promise.reject(new Error("The engine was not opened")));
    late.add("late");
    never.add("never");
    await never.settled();
    await expect(readFile(file)).rejects.toThrow();
    opened.abort();
    await late.settled();
    expect(await readFile(file, "utf8")).toBe('"late"\n');
  });

  it("keeps the lines of two concurrent chats, in the order they were typed", async () => {
    const file = await historyFile();
    const chats = [openHistory(file, same), openHistory(file, same)];
    for (const line of ["one", "two", "three"]) for (const chat of chats) chat.add(line);
    await Promise.all(chats.map((chat) => chat.settled()));
    const lines = (await readFile(file, "utf8")).trimEnd().split("\n").sort();
    expect(lines).toEqual(['"one"', '"one"', '"three"', '"three"', '"two"', '"two"']);
  });

  it("is cut to the newest thousand lines once there are two thousand", async () => {
    const file = await historyFile();
    await mkdir(dirname(file));
    const numbers = Array.from({ length: 2_001 }, (_, number) => `"line ${number}"\n`);
    await writeFile(file, numbers.join(""));
    const history = openHistory(file, same);
    await history.settled();
    expect(history.walk()("older", "")).toBe("line 2000");
    expect(await readFile(file, "utf8")).toBe(numbers.slice(-1_000).join(""));
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it("skips lines that are not text, and works without a file that cannot be written", async () => {
    const file = await historyFile();
    const folder = join(file, "..");
    await openHistory(file, same).settled();
    await writeFile(folder, "not a folder");
    const history = openHistory(file, same);
    history.add("one");
    await history.settled();
    expect(history.walk()("older", "")).toBe("one");
  });
});

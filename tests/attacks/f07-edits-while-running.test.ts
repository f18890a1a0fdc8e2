import { rename, writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { stringify } from "yaml";
import { until } from "../support/processes.ts";
import { startProgram } from "../support/program.ts";
import { parsed } from "../support/toolbox-file.ts";
import { openFoundFolder } from "./found-folder.ts";

it("F7: an edit of the folder's config waits for a yes while `call --stdin` runs, and is applied after it", async () => {
  const { cwd, env, file, run, write, traced, wasStarted } = await openFoundFolder();
  const mine = traced("mine");
  await write({ servers: { mine } });
  await run(["allow"]);
  const program = await startProgram(["call", "--stdin"], { cwd, env });
  await program.waitForStderr((line) => line.includes("Watching"));
  const ask = async (id: string, server: string) => {
    program.write(`${JSON.stringify({ id, server, tool: "env" })}\n`);
    return parsed(await program.waitForStdout((text) => text.startsWith(`{"id":"${id}"`)));
  };

  await writeFile(`${file}.new`, stringify({ servers: { mine, evil: traced("evil") } }));
  await rename(`${file}.new`, file);
  const warning = await program.waitForStderr((line) => line.includes("has changed since you agreed to it"));
  expect(parsed(warning)).toMatchObject({ level: "warn", msg: expect.stringContaining(`tacklebox allow ${file}`) });
  expect(await ask("before", "evil")).toMatchObject({ status: "error" });
  expect(await ask("still", "mine")).toMatchObject({ status: "success" });
  expect(wasStarted("evil")).toBe(false);

  await run(["allow"]);
  await until(() => wasStarted("evil"), { describe: "the new server to be started" });
  await until(async () => (await ask(crypto.randomUUID(), "evil")).status === "success", { describe: "its tools" });
});

it("F7: says that the file was denied, and that what was loaded stays, when `deny` takes the agreement back", async () => {
  const { cwd, env, file, run, write, traced } = await openFoundFolder();
  await write({ servers: { mine: traced("mine") } });
  await run(["allow"]);
  const program = await startProgram(["call", "--stdin"], { cwd, env });
  await program.waitForStderr((line) => line.includes("Watching"));
  await run(["deny"]);
  expect(parsed(await program.waitForStderr((line) => line.includes("tacklebox deny")))).toMatchObject({
    level: "warn",
    msg: `${file}
You denied this config file in the current folder with \`tacklebox deny\`. What was loaded from it before stays in use until this program ends.
Read it, and if you agree to it, run: tacklebox allow ${file}`,
  });
});

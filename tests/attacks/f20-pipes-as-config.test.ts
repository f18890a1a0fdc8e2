import { join } from "node:path";
import { expect, it } from "vitest";
import { builtProgram } from "../support/program.ts";
import { startProcess } from "../support/running-process.ts";
import { openFoundFolder } from "./found-folder.ts";
import { makePipe } from "./hostile-repositories/repository.ts";

it("F20: a pipe that lies in the folder as its config is refused at once", async () => {
  const { cwd, run } = await openFoundFolder();
  await makePipe(join(cwd, "tacklebox.yaml"));
  const { code, stderr } = await run(["check"]);
  expect([code, stderr]).toEqual([
    1,
    `${join(cwd, "tacklebox.yaml")}\nCannot read the config file: it is not a regular file. Name another with --config FILE.\n`,
  ]);
});

it("F20: a pipe that the operator names is read to its end", async () => {
  const { cwd, env } = await openFoundFolder();
  const program = process.env.TACKLEBOX_PROGRAM ?? builtProgram;
  const line = `"${process.execPath}" "${program}" check --config <(printf 'servers: {'; printf '}')`;
  const shell = await startProcess("bash", ["-c", line], { cwd, env: { PATH: process.env.PATH ?? "", ...env } });
  const { code, stdout } = await shell.exit;
  expect([code, stdout]).toEqual([0, expect.stringContaining("Ready.")]);
});

import { chmod } from "node:fs/promises";
import { expect, it } from "vitest";
import { parsed } from "../support/toolbox-file.ts";
import { openFoundFolder } from "./found-folder.ts";

it("F15: a config file that others may write to is warned about, and doctor says so", async () => {
  const { run, file } = await openFoundFolder({ servers: {} });
  const options = ["--config", file, "--json"];
  const warnings = async () => parsed((await run(["check", ...options])).stdout).warnings;
  await chmod(file, 0o644);
  expect(await warnings()).toEqual([]);
  await chmod(file, 0o666);
  const text = `${file}\nOther users may write to this config file and decide with it what Tacklebox starts. To stop that: chmod go-w ${file}`;
  expect(await warnings()).toEqual([text]);
  const doctor = parsed((await run(["doctor", ...options], { OLLAMA_HOST: "127.0.0.1:9" })).stdout);
  expect(doctor.findings).toContainEqual({ about: "config", verdict: "warn", text });
});

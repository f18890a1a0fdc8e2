import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startFaultProgram } from "../faults/fault-program.ts";
import { until } from "../support/processes.ts";
import { fixturePath } from "../support/servers.ts";
import { temporaryFolder } from "../support/workspace.ts";

it("F20: a server that dies while its protocol is found out is started 5 times a minute, not 6", async () => {
  const folder = await temporaryFolder();
  const [log, broken] = [join(folder, "starts"), join(folder, "broken")];
  const script = `echo start >> ${log}; [ ! -e ${broken} ] || exit 1; exec ${process.execPath} ${fixturePath("fault-stdio")} tools`;
  const program = await startFaultProgram({ servers: { dying: { command: "sh", args: ["-c", script] } } });
  const starts = () => readFileSync(log, "utf8").trim().split("\n").length;

  for (let times = 0; times < 2; times += 1) {
    expect((await program.call("dying", "crash")).ending).toBe("interrupted");
    await program.untilWorks("dying");
  }
  expect(starts()).toBe(3);
  // It spoke a protocol before, so one opening would now start it three times.
  await writeFile(broken, "");
  expect((await program.call("dying", "crash")).ending).toBe("interrupted");
  await until(async () => (await program.call("dying", "ping")).text.includes("is tried again at"), {
    describe: "calls to be refused until its next start",
  });
  expect(starts()).toBe(5);
  await program.steady();
  await program.end();
});

import { beforeAll, describe, expect } from "vitest";
import { fault } from "./fault.ts";
import { type FaultProgram, faultServer, type Outcome, startFaultProgram } from "./fault-program.ts";

let program: FaultProgram;

beforeAll(async () => {
  program = await startFaultProgram({ servers: { hostile: faultServer("schemas") } });
  await program.steady();
});

const HOPELESS = `${"a".repeat(40)}!`;

/** Makes the call and counts how many others are answered until it ends. */
async function callAmongOthers(tool: string, args: object): Promise<{ outcome: Outcome; meanwhile: number }> {
  let over = false;
  const calling = program.call("hostile", tool, args).finally(() => {
    over = true;
  });
  // If another call fails first, that failure is the one to report.
  calling.catch(() => undefined);
  let meanwhile = 0;
  do {
    await program.steady();
    meanwhile += 1;
  } while (!over);
  return { outcome: await calling, meanwhile };
}

describe("schemas made to harm", () => {
  fault(
    {
      id: "redos-arguments",
      fault: "T27 a pattern that takes for ever to refuse the arguments",
      promised: "the call is refused before it is made; others are answered meanwhile",
    },
    async (seen) => {
      const { outcome, meanwhile } = await callAmongOthers("redos_arguments", { value: HOPELESS });
      expect(outcome.ending).toBe("invalid-arguments");
      seen(`invalid-arguments, ${meanwhile} other calls meanwhile`);
    },
  );

  fault(
    {
      id: "redos-lookaround",
      fault: "T27 such a pattern that no linear engine can run",
      promised: "the call is refused before it is made; others are answered meanwhile",
    },
    async (seen) => {
      const { outcome, meanwhile } = await callAmongOthers("redos_lookaround", { value: HOPELESS });
      expect(outcome.ending).toBe("invalid-arguments");
      seen(`${outcome.ending}, ${meanwhile} other calls meanwhile`);
    },
  );

  fault(
    {
      id: "redos-result",
      fault: "T27 such a pattern in the schema of the result",
      promised: "the result arrives all the same; others are answered meanwhile",
    },
    async (seen) => {
      const { outcome, meanwhile } = await callAmongOthers("redos_result", {});
      expect(outcome).toMatchObject({ status: "success", structured_content: { value: HOPELESS } });
      seen(`answered, ${meanwhile} other calls meanwhile`);
    },
  );

  fault(
    {
      id: "ref-bomb",
      fault: "T27 references that double 30 times",
      promised: "the call is refused before it is made; others are answered meanwhile",
    },
    async (seen) => {
      const { outcome, meanwhile } = await callAmongOthers("reference_bomb", { value: { deep: true } });
      expect(outcome.ending).toBe("invalid-arguments");
      seen(`${outcome.ending}, ${meanwhile} other calls meanwhile`);
    },
  );

  fault(
    {
      id: "deep-schema",
      fault: "T27 a schema 1,000 levels deep, and one that refers to the network",
      promised: "these tools cannot be called; the server's other tools can",
    },
    async (seen) => {
      for (const tool of ["deep_schema", "remote_reference"]) {
        expect((await program.call("hostile", tool, { value: 1 })).ending).toBe("denied");
      }
      expect(await program.call("hostile", "ping")).toMatchObject({ status: "success" });
      seen("set aside, ping works");
    },
  );

  fault(
    {
      id: "schemas-after",
      fault: "the program ends after all of these",
      promised: "exit 0, no process left, every call in the log as it was answered",
    },
    async (seen) => {
      await program.end();
      seen("nothing left, log complete");
    },
  );
});

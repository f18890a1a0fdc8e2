import { beforeAll, describe, expect } from "vitest";
import { fault } from "./fault.ts";
import { type FaultHttp, type FaultProgram, faultServer, startFaultHttp, startFaultProgram } from "./fault-program.ts";

const ENDS_ONE = "oversize, at once, that call only; the connection stays";

let web: FaultHttp;
let program: FaultProgram;

beforeAll(async () => {
  web = await startFaultHttp();
  program = await startFaultProgram({
    servers: {
      deep: faultServer("tools"),
      listing: faultServer("deep-list"),
      json: { url: `${web.origin}/json` },
      stream: { url: `${web.origin}/stream` },
    },
  });
  await program.steady();
});

async function expectOversize(server: string, tool: string, levels: number, seen: (what: string) => void) {
  const places = ["structured", "annotations", "meta", "error"];
  const held = program.call(server, "ping");
  const outcomes = await Promise.all(places.map((place) => program.call(server, tool, { place, levels })));
  expect(outcomes.map(({ ending }) => ending)).toEqual(places.map(() => "oversize"));
  expect(outcomes[0]?.text).toContain("nested more than 500 levels deep");
  expect(await held).toMatchObject({ status: "success" });
  await program.steady();
  seen("oversize, others unharmed");
}

describe.concurrent("T27 messages nested too deeply", () => {
  fault({ id: "deep-stdio", fault: "a result nested 5,000 deep over stdio", promised: ENDS_ONE }, (seen) =>
    expectOversize("deep", "deep", 5_000, seen),
  );

  fault({ id: "deep-brackets", fault: "a result of 4 million brackets over stdio", promised: ENDS_ONE }, (seen) =>
    expectOversize("deep", "deep", 2_000_000, seen),
  );

  fault({ id: "deep-json", fault: "a result nested 5,000 deep as JSON over HTTP", promised: ENDS_ONE }, (seen) =>
    expectOversize("json", "deep_json", 5_000, seen),
  );

  fault({ id: "deep-sse", fault: "a result nested 5,000 deep as an event stream", promised: ENDS_ONE }, (seen) =>
    expectOversize("stream", "deep_stream", 5_000, seen),
  );

  fault(
    {
      id: "deep-unasked",
      fault: "a notification and a question nested 5,000 deep during a call",
      promised: "thrown away, the question is refused, the call succeeds",
    },
    async (seen) => {
      const levels = { levels: 5_000 };
      expect(await program.call("deep", "deep_notification", levels)).toMatchObject({ status: "success" });
      expect((await program.call("deep", "deep_question", levels)).text).toContain("Nested more than 500 levels deep");
      expect(await program.call("stream", "deep_stream", { place: "none", levels: 1 })).toMatchObject({
        status: "success",
      });
      seen("call succeeded");
    },
  );

  fault(
    {
      id: "deep-list",
      fault: "a tool list nested 2,000 deep",
      promised: "the tool that is nested so deeply cannot be called; the server's other tools can",
    },
    async (seen) => {
      expect((await program.call("listing", "deep")).ending).toBe("denied");
      expect(await program.call("listing", "ping")).toMatchObject({ status: "success" });
      seen("set aside, ping works");
    },
  );
});

describe("afterwards", () => {
  fault(
    {
      id: "nesting-after",
      fault: "the program ends after all of these",
      promised: "exit 0, no process left, every call in the log as it was answered",
    },
    async (seen) => {
      await program.end();
      seen("nothing left, log complete");
    },
  );
});

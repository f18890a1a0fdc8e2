import type { Approver } from "../../call/approvals/approver.ts";
import type { ApprovalRequest } from "../../domain/approval.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Hasher } from "../../ports/hasher.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Metrics } from "../../ports/metrics.ts";
import type { Validator } from "../../ports/validator.ts";
import { assertEqual, assertThat, type ContractCase } from "./contract.ts";

const never = new AbortController().signal;

export function hasherContract(hasher: Hasher): ContractCase[] {
  return [
    {
      name: "returns the SHA-256 of the UTF-8 bytes in lower-case hexadecimal",
      run: async () => {
        const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assertEqual(await hasher.sha256("abc"), abc, "the digest of abc");
        const umlaut = "607474ca475a9724d7360aba71a56d5df77e61350e3f724cfa1f46e857e2d85f";
        assertEqual(await hasher.sha256("ü"), umlaut, "the digest of two bytes");
      },
    },
  ];
}

export function clockContract(clock: Clock): ContractCase[] {
  return [
    {
      name: "runs a task once, later, and never if it was cancelled",
      run: async () => {
        const ran: string[] = [];
        const cancel = clock.after(1, () => ran.push("cancelled"));
        cancel();
        await new Promise<void>((resolve) => {
          clock.after(5, () => {
            ran.push("kept");
            resolve();
          });
          assertEqual(ran, [], "nothing runs at once");
        });
        assertEqual(ran, ["kept"], "tasks that ran");
      },
    },
    {
      name: "runs a task in the background like any other",
      run: async () => {
        const ran: string[] = [];
        const cancel = clock.inBackground(1, () => ran.push("cancelled"));
        cancel();
        // A foreground timer keeps the process alive until it is done.
        await Promise.all([
          new Promise<void>((resolve) => void clock.inBackground(5, resolve)),
          new Promise<void>((resolve) => void clock.after(5, resolve)),
        ]);
        assertEqual(ran, [], "tasks that were cancelled and ran");
      },
    },
    {
      name: "has monotonic time that never goes backwards, and random numbers below one",
      run: async () => {
        const first = clock.monotonic();
        assertThat(clock.monotonic() >= first, "time does not go back");
        assertThat(clock.now() > 0, "now is after the epoch");
        const random = clock.random();
        assertThat(random >= 0 && random < 1, "random is in [0, 1)");
      },
    },
  ];
}

export function validatorContract(validator: Validator): ContractCase[] {
  const schema = {
    type: "object",
    properties: { count: { type: "integer", minimum: 1 }, tags: { type: "array", items: { type: "string" } } },
    required: ["count"],
  };
  const paths = async (value: unknown) => (await validator.check(schema, value, never)).map(({ path }) => path);
  return [
    {
      name: "finds nothing wrong with a valid value",
      run: async () => assertEqual(await paths({ count: 1, tags: ["a"] }), [], "problems"),
    },
    { name: "points at what is missing", run: async () => assertEqual(await paths({}), [""], "paths") },
    {
      name: "points at every wrong place",
      run: async () => assertEqual((await paths({ count: 0, tags: [1] })).sort(), ["/count", "/tags/0"], "paths"),
    },
    {
      name: "understands a list of types, as real servers send (T1.5)",
      run: async () => {
        const wide = { type: "object", properties: { a: { type: ["boolean", "string"] } } };
        assertEqual(await validator.check(wide, { a: "yes" }, never), [], "problems");
      },
    },
    {
      name: "rejects rather than guesses when a schema cannot be followed",
      run: async () => {
        const check = async () => validator.check({ type: "object", $ref: "#/nowhere" }, {}, never);
        const outcome = await check().then(
          () => "checked",
          () => "rejected",
        );
        assertEqual(outcome, "rejected", "outcome");
      },
    },
  ];
}

export function approverContract(create: () => Approver): ContractCase[] {
  const request: ApprovalRequest = {
    callId: "call",
    tool: { scope: "agent", server: "s", name: "t" },
    shownName: "t",
    arguments: {},
    argumentsDigest: "digest",
    fingerprint: "fingerprint",
    reason: "a test asks",
    definition: {},
    lasting: ["once"],
    expiresAt: Number.MAX_SAFE_INTEGER,
  };
  return [
    {
      name: "answers, or ends when the request is withdrawn",
      run: async () => {
        const withdrawal = new AbortController();
        const answer = create()
          .ask(request, withdrawal.signal)
          .then(
            ({ answer: { kind } }) => kind,
            () => "withdrawn",
          );
        withdrawal.abort();
        assertThat(["allow", "deny", "withdrawn"].includes(await answer), "the question came to an end");
      },
    },
  ];
}

export function loggerContract(create: () => { readonly logger: Logger; written(): string }): ContractCase[] {
  return [
    {
      name: "writes the text and its level, and nothing below the level asked for is lost above it",
      run: async () => {
        const { logger, written } = create();
        logger.log("error", "it broke", { server: "s" });
        logger.log("warn", "it may break");
        assertThat(written().includes("it broke"), "the error is there");
        assertThat(written().includes("it may break"), "the warning is there");
        assertThat(written().includes("error") && written().includes("warn"), "levels are there");
      },
    },
  ];
}

export function metricsContract(create: () => { readonly metrics: Metrics; read(): Promise<string> }): ContractCase[] {
  return [
    {
      name: "S4.37 counts how often a tool was used and for how long",
      run: async () => {
        const { metrics, read } = create();
        metrics.toolUsed("echo", 0.5);
        metrics.toolUsed("echo", 1.5);
        metrics.callEnded("s", "success");
        const text = await read();
        assertThat(text.includes('tool_usage_count{tool_name="echo"} 2'), `the count is there: ${text}`);
        assertThat(text.includes('tool_usage_sum{tool_name="echo"} 2'), `the seconds are there: ${text}`);
      },
    },
  ];
}

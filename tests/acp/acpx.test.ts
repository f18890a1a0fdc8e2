import { describe, expect, it } from "vitest";
import { processesWithMarker, until } from "../support/processes.ts";
import { everythingPath } from "../support/servers.ts";
import { type Acpx, createAcpx, prepareAcpx } from "./support/acpx.ts";
import { problemOf } from "./support/check-line.ts";
import { stdio } from "./support/session-entries.ts";

const DOWN = { name: "down", type: "http", url: "http://127.0.0.1:9/mcp", headers: [] };

/** Generous, because each command of acpx starts two programs. */
const TIMEOUT_MS = 180_000;

const acpx = await prepareAcpx();
if (acpx.kind === "missing") it(`acpx is not driven: ${acpx.why}`, ({ skip }) => skip());
else describe("S3.23 acpx, a third-party client", () => driveAcpx(acpx.node));

function driveAcpx(node: string): void {
  it(
    "brings its servers, approves a call and gets the answer; our messages fit the schema",
    async () => {
      const acpx = await createAcpx(node, [{ ...stdio("everything", everythingPath), type: "stdio" }, DOWN]);
      const { code, stdout } = await acpx.run(
        "--approve-all",
        "--format",
        "json",
        "--json-strict",
        "exec",
        "echo message=hello",
      );
      const lines = stdout.trim().split("\n");
      const asked = new Map(
        lines.map((line) => JSON.parse(line)).flatMap(({ id, method }) => (method === undefined ? [] : [[id, method]])),
      );
      const updates = lines.filter((line) => line.includes('"session/update"'));
      expect(code).toBe(0);
      expect(updates.flatMap((line) => problemOf(line, (id) => asked.get(id)) ?? [])).toEqual([]);
      expect(stdout).toContain("MCP server 'down' cannot be used");
      expect(stdout).toContain('"status":"completed"');
      expect(stdout).toContain("Echo: hello");
      expect(lines.at(-1)).toContain('"stopReason":"end_turn"');
      await until(() => processesWithMarker(acpx.mark).length === 0, { describe: "nothing to be left" });
    },
    TIMEOUT_MS,
  );

  it(
    "keeps a session, sets its mode and model, and closes it with all its servers",
    async () => {
      const acpx = await createAcpx(node, [{ ...stdio("everything", everythingPath), type: "stdio" }]);
      await expectOutput(acpx, ["--approve-all", "sessions", "new"], "");
      await expectOutput(acpx, ["--approve-all", "prompt", "echo message=first"], "Echo: first");
      await expectOutput(acpx, ["set-mode", "auto"], "mode set: auto");
      await expectOutput(acpx, ["set", "model", "demo"], "model set: demo");
      await expectOutput(acpx, ["sessions", "close"], "");
      await until(() => processesWithMarker(acpx.mark).length === 0, { describe: "nothing to be left" });
    },
    TIMEOUT_MS,
  );
}

async function expectOutput(acpx: Acpx, args: readonly string[], text: string): Promise<void> {
  const { code, stdout, stderr } = await acpx.run(...args);
  // Includes stderr in the report when the command failed.
  expect({ code, stdout, stderr: code === 0 ? "" : stderr }).toEqual({
    code: 0,
    stdout: expect.stringContaining(text),
    stderr: "",
  });
}

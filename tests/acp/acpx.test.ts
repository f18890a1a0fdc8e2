import { describe, expect, it } from "vitest";
import { processesWithMarker, until } from "../support/processes.ts";
import { everythingPath } from "../support/servers.ts";
import { createAcpx, prepareAcpx } from "./support/acpx.ts";
import { problemOf } from "./support/check-line.ts";
import { stdio } from "./support/session-entries.ts";

const DOWN = { name: "down", type: "http", url: "http://127.0.0.1:9/mcp", headers: [] };

/** Each of its commands starts two programs. */
const LONG = 180_000;

const whyNot = await prepareAcpx();
if (whyNot === undefined) describe("S3.23 acpx, a client that other people wrote", driveAcpx);
else it(`acpx is not driven: ${whyNot}`, ({ skip }) => skip());

function driveAcpx(): void {
  it(
    "brings its servers, approves a call and gets the answer; what we say fits the schema",
    async () => {
      const acpx = await createAcpx([{ ...stdio("everything", everythingPath), type: "stdio" }, DOWN]);
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
    LONG,
  );

  it(
    "keeps a session, sets its mode and model, and closes it with all its servers",
    async () => {
      const acpx = await createAcpx([{ ...stdio("everything", everythingPath), type: "stdio" }]);
      expect((await acpx.run("--approve-all", "sessions", "new")).code).toBe(0);
      expect((await acpx.run("--approve-all", "prompt", "echo message=first")).stdout).toContain("Echo: first");
      expect((await acpx.run("set-mode", "auto")).stdout).toContain("mode set: auto");
      expect((await acpx.run("set", "model", "demo")).stdout).toContain("model set: demo");
      expect((await acpx.run("sessions", "close")).code).toBe(0);
      await until(() => processesWithMarker(acpx.mark).length === 0, { describe: "nothing to be left" });
    },
    LONG,
  );
}

import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { startEditor } from "../acp/support/editor.ts";
import { openFoundFolder } from "../attacks/found-folder.ts";
import { gaugeEvents, untilStarted } from "../support/gauge-log.ts";
import { modelEntry, startScriptedVendor } from "../support/model-servers.ts";
import { until } from "../support/processes.ts";
import { startProgram } from "../support/program.ts";
import { answer, calls, linesOf, ofType } from "../support/run-lines.ts";
import { startOnTerminal } from "../support/terminal.ts";
import { fixtureServer } from "../support/toolbox-file.ts";
import { temporaryFolder } from "../support/workspace.ts";

const server = (name: string, tools: string) => fixtureServer("collide", { NAME: name, TOOLS: tools });

/** A config file that is edited as editors do: replaced, so that it is never read half written. */
async function configFile(config: object) {
  const file = join(await temporaryFolder(), "tacklebox.yaml");
  const write = async (text: string) => {
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
  };
  await write(stringify(config));
  return { file, edit: (next: object) => write(stringify(next)), write };
}

describe("an edit of the config file takes effect while it is in use", () => {
  it("in the chat, which says what changed; /reload applies it now and answers for a broken file", async () => {
    const one = server("one", "a");
    const { file, edit, write } = await configFile({ servers: { one } });
    const chat = await startOnTerminal(["chat", "--config", file]);
    await chat.sees("one 1 tool", "› ");
    await edit({ servers: { one, two: server("two", "b") } });
    await chat.sees("The config file changed: server 'two' added", "two is up.");
    chat.type("/tools\r");
    await chat.sees("b", "two", "› ");
    chat.type("/reload\r");
    await chat.sees(`Nothing changed in`, "› ");
    await write("servers: [");
    await chat.sees("Nothing was changed.");
    chat.type("/reload\r");
    await chat.sees("Nothing was changed.", "› ");
    chat.type("\u0004");
    expect((await chat.exit).code).toBe(0);
  });

  it("in the chat it waits for a yes if the file was only found in the current folder; nobody is asked there", async () => {
    const { cwd, env, file, run, write, traced, wasStarted } = await openFoundFolder();
    const mine = traced("mine");
    await write({ servers: { mine } });
    await run(["allow"]);
    const chat = await startOnTerminal(["chat"], { cwd, env, columns: 200 });
    await chat.sees("mine", "› ");
    await write({ servers: { mine, evil: traced("evil") } });
    await chat.sees("has changed since you agreed to it", `tacklebox allow ${file}`);
    chat.type("/reload\r");
    await chat.sees("What was loaded from it before stays in use", `tacklebox allow ${file}`, "› ");
    expect(wasStarted("evil")).toBe(false);
    await run(["allow"]);
    await chat.sees("The config file changed: server 'evil' added");
    await until(() => wasStarted("evil"), { describe: "the new server to be started" });
    chat.type("\u0004");
    expect((await chat.exit).code).toBe(0);
  });

  it("in the middle of a run, whose next request has the new server's tools", async () => {
    const one = server("one", "a");
    const vendor = await startScriptedVendor("openai chat", [
      calls(["slow", { ms: 10_000_000 }]),
      calls(["b", {}]),
      answer("Done."),
    ]);
    const models = { m: modelEntry("openai chat", vendor.url) };
    const log = join(await temporaryFolder(), "gauge.jsonl");
    const gauge = fixtureServer("gauge", { GAUGE_LOG: log });
    const { file, edit } = await configFile({ models, servers: { one, gauge } });
    const program = await startProgram(["run", "do it", "--json", "--config", file, "--log-level", "info"]);
    program.endStdin();
    await untilStarted(log, 1);
    await edit({ models, servers: { one, gauge, two: server("two", "b") } });
    await program.waitForStderr((line) => line.includes("mcp: server 'two' connected"));
    // Ends the call, which would otherwise never end.
    const [started] = await gaugeEvents(log);
    process.kill(Number(started?.pid), "SIGKILL");
    const { code, stdout } = await program.exit;
    expect(code).toBe(0);
    expect(ofType(linesOf(stdout), "call-ended").at(-1)).toMatchObject({ server: "two", status: "success" });
  });

  it("in an editor's session, whose /tools has the new tool; the editor gets a notice; /reload answers", async () => {
    const one = server("one", "a");
    const { file, edit } = await configFile({ servers: { one } });
    const editor = await startEditor({ args: ["--config", file], capabilities: { session: { notices: {} } } });
    const { sessionId } = await editor.open(await temporaryFolder());
    await editor.prompt(sessionId, "/tools");
    await edit({ servers: { one, two: server("two", "b") }, gpts: { clerk: { name: "The clerk" } } });
    const notice = await editor.waitFor(
      sessionId,
      (update) => update.sessionUpdate === "notice" && update.severity === "info",
      "a notice of the reload",
    );
    expect(notice).toMatchObject({
      title: "The config was reloaded",
      description: "- server 'two' added\n- GPT 'clerk' added",
    });
    await editor.waitFor(
      sessionId,
      (update) => update.sessionUpdate === "config_option_update" && JSON.stringify(update).includes("The clerk"),
      "the new assistant to choose",
    );
    await until(
      async () => {
        await editor.prompt(sessionId, "/tools");
        return editor.agentText(sessionId).includes("**b** (two)");
      },
      { describe: "the new server's tool" },
    );
    await editor.prompt(sessionId, "/reload");
    expect(editor.agentText(sessionId)).toContain(`Nothing changed in ${file}.`);
    expect((await editor.quit()).code).toBe(0);
  });
});

describe("a server that changes its tools while it is in use", () => {
  it("is told of in the chat, by the tools that came and went", async () => {
    const list = join(await temporaryFolder(), "tools.json");
    await writeFile(list, JSON.stringify([{ name: "a" }, { name: "b" }]));
    const { file } = await configFile({ servers: { files: fixtureServer("shifty", { SHIFTY_FILE: list }) } });
    const chat = await startOnTerminal(["chat", "--config", file]);
    await chat.sees("files 2 tools", "› ");
    await writeFile(list, JSON.stringify([{ name: "a" }, { name: "c" }]));
    await chat.sees("files now offers: c", "files no longer offers: b");
    chat.type("\u0004");
    expect((await chat.exit).code).toBe(0);
  });
});

import { describe, expect, it } from "vitest";
import { ConnectionError } from "../domain/connection.ts";
import type { Prompt } from "../domain/offer.ts";
import type { Connection } from "../ports/connector.ts";
import { createTestEngine, testDefinition, waitUntil } from "../testing/index.ts";

const prompt = (name: string, required = false): Prompt => ({
  name,
  arguments: required ? [{ name: "city", required }] : [],
  raw: { name },
});

function toolbox(prompts: readonly string[], offers: Partial<Connection>) {
  const test = createTestEngine({ servers: [testDefinition("s", { name: "S", prompts })] });
  Object.assign(test.connector.server("s"), { tools: [{ name: "a" }], offers });
  return test;
}

describe("the prompts named in a server's entry", () => {
  it("S4.4 are fetched at the start, each once", async () => {
    const fetched: string[] = [];
    const { host, logger } = toolbox(["greet", "weather"], {
      listPrompts: async () => [prompt("greet"), prompt("weather", true), prompt("unnamed")],
      getPrompt: async (name) => {
        fetched.push(name);
        return { messages: [] };
      },
    });
    expect(await host.start()).toEqual({ problems: [] });
    expect(fetched).toEqual(["greet"]);
    expect(logger.texts("warn")).toEqual([]);
  });

  it("D.6 cause a warning if missing or failing, and the start goes on", async () => {
    const { host, logger } = toolbox(["lost", "broken", "fine"], {
      listPrompts: async () => [prompt("broken"), prompt("fine")],
      getPrompt: async (name) => {
        if (name === "broken") throw new ConnectionError("protocol-error", "MCP Error -32603: it broke");
        return { messages: [] };
      },
    });
    expect(await host.start()).toEqual({ problems: [] });
    expect(logger.texts("warn")).toEqual([
      "MCP server 'S' does not provide prompt 'lost': it lists only: broken, fine",
      "MCP server 'S' does not provide prompt 'broken': MCP Error -32603: it broke",
    ]);
  });

  it("T1.4 cause a warning if the server has no prompts at all", async () => {
    const { host, logger } = toolbox(["greet"], {});
    expect(await host.start()).toEqual({ problems: [] });
    expect(logger.texts("warn")).toEqual(["MCP server 'S' does not provide prompt 'greet': it lists no prompts"]);
  });

  it("cause one warning each if they cannot be listed", async () => {
    const { host, logger } = toolbox(["a", "b"], {
      listPrompts: () => Promise.reject(new ConnectionError("protocol-error", "no list")),
    });
    expect(await host.start()).toEqual({ problems: [] });
    expect(logger.texts("warn")).toEqual([
      "MCP server 'S' does not provide prompt 'a': no list",
      "MCP server 'S' does not provide prompt 'b': no list",
    ]);
  });

  it("do not hold up a start for longer than the server's timeout", async () => {
    let asked = false;
    const { host, logger, clock } = toolbox(["slow"], {
      listPrompts: (signal) => {
        asked = true;
        return new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(new ConnectionError("cancelled", "The call was cancelled.")));
        });
      },
    });
    const starting = host.start();
    await waitUntil(() => asked);
    clock.advance(60_000);
    expect(await starting).toEqual({ problems: [] });
    expect(logger.texts("warn")).toEqual(["MCP server 'S' does not provide prompt 'slow': no answer within 30 s"]);
  });

  it("are not requested from a server that could not be reached", async () => {
    const { host, connector, logger } = toolbox(["greet"], {});
    connector.server("s").refuse = new ConnectionError("unreachable", "connection refused");
    await host.start();
    expect(logger.texts("warn")).toEqual(["mcp: server 'S' failed to connect: connection refused"]);
  });
});

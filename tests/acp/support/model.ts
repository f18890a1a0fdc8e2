import type { LLMock } from "@copilotkit/aimock";
import { modelEntry, startAimock } from "../../support/model-servers.ts";
import { toolboxFile } from "../../support/toolbox-file.ts";

export interface TestModel {
  readonly mock: LLMock;
  /** `prompt` makes the model call the tool and then say what it was answered, after `done: `. */
  callsTool(prompt: string, tool: string, args?: object): void;
  says(prompt: string, text: string): void;
  /** The names of the tools in every request that holds this prompt. */
  toolsOffered(prompt: string): readonly (readonly string[])[];
  /** Whole requests that hold this prompt, as text. */
  requests(prompt: string): readonly string[];
}

/** aimock behind a model of the config file, and the config file. */
export async function startModel(config: object = {}): Promise<{ readonly model: TestModel; readonly file: string }> {
  const mock = await startAimock();
  const file = await toolboxFile({ models: { m: modelEntry("openai chat", mock.url) }, servers: {}, ...config });
  const requests = (prompt: string) =>
    mock
      .getRequests()
      .map(({ body }) => JSON.stringify(body))
      .filter((body) => body.includes(prompt));
  return {
    file,
    model: {
      mock,
      requests,
      callsTool(prompt, tool, args = {}) {
        const call = { name: tool, arguments: JSON.stringify(args), id: `call_${prompt.replace(/\W/g, "_")}` };
        mock.on({ userMessage: prompt, hasToolResult: false }, { toolCalls: [call] });
        mock.on({ userMessage: prompt, hasToolResult: true }, { content: `done: ${prompt}` });
      },
      says: (prompt, text) => void mock.on({ userMessage: prompt }, { content: text }),
      toolsOffered: (prompt) =>
        requests(prompt).map((body) =>
          Array.from(body.matchAll(/"function":\{"name":"([^"]+)","desc/g), ([, name = ""]) => name),
        ),
    },
  };
}

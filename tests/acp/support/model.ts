import type { LLMock } from "@copilotkit/aimock";
import { modelEntry, startAimock } from "../../support/model-servers.ts";
import { toolboxFile } from "../../support/toolbox-file.ts";

export interface TestModel {
  readonly mock: LLMock;
  /** Makes the model answer `prompt` by calling the tool, and then with `done: ` and the tool's result. */
  callsTool(prompt: string, tool: string, args?: object): void;
  says(prompt: string, text: string): void;
  /** The tool names in every request that contains this prompt. */
  toolsOffered(prompt: string): readonly (readonly string[])[];
  /** Whole requests that contain this prompt, as text. */
  requests(prompt: string): readonly string[];
}

/** Starts aimock as a model and writes a config file that uses it. */
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

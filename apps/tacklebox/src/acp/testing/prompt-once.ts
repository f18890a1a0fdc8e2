import { client, methods } from "@agentclientprotocol/sdk";
import type { OpenEngine } from "../../compose-engine.ts";
import { type EditorFixture, startEditor } from "./start-editor.ts";

export interface PromptOnce {
  /** The answer to the prompt; an error is an answer, too, as text. */
  readonly answer: unknown;
  readonly updates: EditorFixture["updates"];
  readonly code: number;
}

/** Works one prompt of an editor, whose person allows every call, with the engine that `open` opens. */
export async function promptOnce(
  text: string,
  { cwd, open }: { readonly cwd: string; readonly open: OpenEngine },
  onTestFinished: (cleanUp: () => Promise<void>) => void,
): Promise<PromptOnce> {
  const app = client({ name: "test" }).onRequest(methods.client.session.requestPermission, ({ params }) => ({
    outcome: { outcome: "selected", optionId: params.options[0]?.optionId ?? "" },
  }));
  const { agent, updates, end, exit } = await startEditor({}, onTestFinished, { app, open });
  const { sessionId } = await agent.request(methods.agent.session.new, { cwd, mcpServers: [] });
  const prompt = [{ type: "text", text } as const];
  const answer = await agent.request(methods.agent.session.prompt, { sessionId, prompt }).catch(String);
  end();
  return { answer, updates, code: await exit };
}

// @ts-check
// An agent built on the bare SDK that answers a prompt with as many chunks as the prompt asks for.
import { Readable, Writable } from "node:stream";
import { loadPackage } from "./load-package.mjs";

const { agent, methods, ndJsonStream } = await loadPackage("@agentclientprotocol/sdk");

/** @typedef {{ params: { sessionId: string, prompt: { text: string }[] }, client: { notify(method: string, params: object): Promise<void> } }} Prompt */

agent({ name: "raw SDK" })
  .onRequest(methods.agent.initialize, () => ({ protocolVersion: 1 }))
  .onRequest(methods.agent.session.new, () => ({ sessionId: "session" }))
  .onRequest(methods.agent.session.prompt, async (/** @type {Prompt} */ { params: { sessionId, prompt }, client }) => {
    const count = Number(prompt[0]?.text);
    let last = Promise.resolve();
    for (let index = 0; index < count; index += 1) {
      const sessionUpdate = index % 2 === 0 ? "agent_message_chunk" : "agent_thought_chunk";
      const update = { sessionUpdate, content: { type: "text", text: `piece ${index} ` } };
      // Not awaited one by one: that would be even slower.
      last = client.notify(methods.client.session.update, { sessionId, update });
    }
    await last;
    return { stopReason: "end_turn" };
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));

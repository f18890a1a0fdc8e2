import { openChatFront } from "../chat/chat-front.ts";
import type { ChatOptions } from "../chat/chat-options.ts";
import type { Context } from "../command-options.ts";
import type { ExitCode } from "../exit-code.ts";
import type { Io } from "../io.ts";

/** A conversation with a model that has every tool: with a person at a terminal, or line by line from a pipe. */
export async function run(io: Io, loadContext: () => Promise<Context>, options: ChatOptions): Promise<ExitCode> {
  if (io.stdinKind !== "terminal" || options.json) {
    const [context, { runPiped }] = await Promise.all([loadContext(), import("../chat/run-piped.ts")]);
    return runPiped(context, options);
  }
  const front = openChatFront(io, options);
  try {
    // The prompt is on the screen before the engine is even loaded.
    await new Promise((resolve) => setImmediate(resolve));
    const [context, { runAttendedChat }] = await Promise.all([loadContext(), import("../chat/attended-chat.ts")]);
    return await runAttendedChat(context, options, front);
  } finally {
    await front.close();
  }
}

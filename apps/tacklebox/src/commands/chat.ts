import { openChatFront } from "../chat/chat-front.ts";
import type { ChatOptions } from "../chat/chat-options.ts";
import type { Context } from "../command-options.ts";
import { settleAgreement } from "../config-file/agreement/settle-agreement.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { printProblems } from "../output/print.ts";

/** Chats with a model that has every tool: with a person at a terminal, or line by line from a pipe. */
export async function run(context: Context, options: ChatOptions): Promise<ExitCode> {
  const { io } = context;
  if (io.stdinKind !== "terminal" || options.json) {
    const { runPiped } = await import("../chat/run-piped.ts");
    return runPiped(context, options);
  }
  const unagreed = await settleAgreement(io, options.config);
  if (unagreed !== undefined) {
    await printProblems(io, unagreed);
    return EXIT.couldNotStart;
  }
  const front = openChatFront(io, options);
  try {
    // Lets the prompt appear before the engine is loaded.
    await new Promise((resolve) => setImmediate(resolve));
    const { runAttendedChat } = await import("../chat/attended-chat.ts");
    return await runAttendedChat(context, options, front);
  } finally {
    await front.close();
  }
}

import { openChatFront } from "../chat/chat-front.ts";
import type { ChatOptions } from "../chat/chat-options.ts";
import type { Context } from "../command-options.ts";
import { askAtTerminal } from "../config-file/agreement/ask-at-terminal.ts";
import { requireAgreement } from "../config-file/agreement/require-agreement.ts";
import { findConfig } from "../config-file/find-config.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { printProblems } from "../output/print.ts";

/** Chats with a model that has every tool: with a person at a terminal, or line by line from a pipe. */
export async function run(context: Context, options: ChatOptions): Promise<ExitCode> {
  const { io } = context;
  if (io.stdinKind !== "terminal" || options.json) {
    const { runPiped } = await import("../chat/run-piped.ts");
    return runPiped(context, options);
  }
  const unagreed = await askBeforePrompt(io, options.config);
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

/** Asks whether a config file of the current folder may be used. Returns why not, unless it may. */
async function askBeforePrompt(io: Io, explicit: string | undefined): Promise<readonly string[] | undefined> {
  const found = findConfig(explicit, io);
  if (found.kind === "missing" || found.origin === "operator") return undefined;
  const agreed = await requireAgreement(found.file, io, askAtTerminal(io));
  return agreed.kind === "unagreed" ? agreed.messages : undefined;
}

import type { CommonOptions, Context } from "../command-options.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { choosePaint } from "../output/colour.ts";
import type { SessionShowJson } from "../output/manage-shapes.ts";
import { printJson, printProblems } from "../output/print.ts";
import { formatConversation, toMessageJson, toSessionJson } from "../output/session-report.ts";
import { withStore } from "../with-store.ts";

export interface SessionsShowOptions extends CommonOptions {
  readonly id: string;
}

/** Shows one conversation from its beginning. */
export function run({ io }: Context, { json, id }: SessionsShowOptions): Promise<ExitCode> {
  return withStore(io, async (store) => {
    const session = await store?.sessions.load(id);
    if (store === undefined || session === undefined) {
      await printProblems(io, [describeUnknownSession(id)]);
      return EXIT.usage;
    }
    const messages = await store.sessions.messages(id);
    const shown: SessionShowJson = { session: toSessionJson(session), messages: messages.map(toMessageJson) };
    await (json
      ? printJson(io, shown)
      : io.stdout.write(formatConversation({ session, messages }, choosePaint(io.stdoutIsTerminal, io.env))));
    return EXIT.ok;
  });
}

export function describeUnknownSession(id: string): string {
  return `There is no session '${id}'. \`tacklebox sessions list\` shows all.`;
}

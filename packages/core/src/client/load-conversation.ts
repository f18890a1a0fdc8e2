import type { Conversation, SessionMessage } from "../domain/session.ts";
import type { Engine } from "../engine.ts";

const AT_ONCE = 1_000;

/** Loads a session with all its messages, page by page; undefined if there is no session with this id. */
export async function loadConversation(
  { sessions }: Pick<Engine, "sessions">,
  id: string,
): Promise<Conversation | undefined> {
  const session = await sessions.get(id);
  if (session === undefined) return undefined;
  const messages: SessionMessage[] = [];
  let after: string | undefined;
  do {
    const page = await sessions.messages(id, { limit: AT_ONCE, ...(after !== undefined && { after }) });
    messages.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  return { session, messages };
}

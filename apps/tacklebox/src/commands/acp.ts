import { randomUUID } from "node:crypto";
import { createAgent } from "../acp/agent.ts";
import { createOutbox } from "../acp/outbox.ts";
import { createPeer, type PeerHooks } from "../acp/peer.ts";
import type { CommonOptions, Context } from "../command-options.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { watchSignals } from "../interruption.ts";
import type { Io } from "../io.ts";
import { readChunks } from "../json-lines/read-chunks.ts";
import { splitLines } from "../json-lines/split-lines.ts";
import { createTimeOrderedId } from "../time-ordered-id.ts";

export interface AcpOptions extends CommonOptions {
  readonly gpt: string | undefined;
}

/** As long as the SDK takes; nobody sends more. */
const LONGEST_MESSAGE = 32 * 1024 * 1024;
/** Editors kill what does not end soon. */
const CLOSE_WITHIN_MS = 1_800;

const FOR_PEOPLE = `This command speaks to an editor, not to people, and waits for one now. Ctrl-C ends it.
docs/editors.md says how editors start it; to talk with a model here, run: tacklebox chat
`;

/** Serves an editor over stdin and stdout until it closes stdin. Stdout carries the protocol and nothing else. */
export async function run(io: Io, loadContext: () => Promise<Context>, options: AcpOptions): Promise<ExitCode> {
  const stdout = io.takeStdout();
  const outbox = createOutbox(stdout);
  let couldOpen = true;
  const hooks: PeerHooks = {
    answer: (method, params, signal) => agent.answer(method, params, signal),
    hear: (method, params) => agent.hear(method, params),
    onBug(error, method) {
      const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
      void io.stderr.write(`${method} failed because of an error of Tacklebox's own. Please report it.\n${detail}\n`);
    },
  };
  const peer = createPeer(outbox, hooks);
  const agent = createAgent({
    settings: options.gpt === undefined ? {} : { gpt: options.gpt },
    freshId: () => createTimeOrderedId(Date.now(), randomUUID()),
    notify: (sessionId, update) => peer.notify("session/update", { sessionId, update }),
    async openDoor(client) {
      const [context, { openDoor }] = await Promise.all([loadContext(), import("../acp/door.ts")]);
      try {
        return await openDoor({ context, common: options, gpt: options.gpt, client });
      } catch (error) {
        couldOpen = false;
        await io.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
        throw error;
      }
    },
    async openSession(request, door, { abilities }) {
      const { openEditorSession } = await import("../acp/editor-session.ts");
      return openEditorSession(request, { door, peer, abilities, room: () => outbox.room() });
    },
  });

  if (io.stdinKind === "terminal") await io.stderr.write(FOR_PEOPLE);
  const { interrupted, terminated, dispose } = watchSignals(io.control);
  const ended = AbortSignal.any([interrupted, terminated, stdout.gone]);
  for await (const line of splitLines(readChunks(io.stdin, ended), LONGEST_MESSAGE)) peer.take(line);
  peer.end();
  const overtime = setTimeout(() => io.control.exitNow(exitCode()), CLOSE_WITHIN_MS);
  await agent.close();
  await outbox.flushed();
  clearTimeout(overtime);
  dispose();
  return exitCode();

  function exitCode(): ExitCode {
    if (interrupted.aborted) return EXIT.interrupted;
    return couldOpen ? EXIT.ok : EXIT.couldNotStart;
  }
}

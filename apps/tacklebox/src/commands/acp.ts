import { createAgent } from "../acp/agent.ts";
import { createOutbox } from "../acp/rpc/outbox.ts";
import { createPeer, type PeerHooks } from "../acp/rpc/peer.ts";
import type { CommonOptions, Context } from "../command-options.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { watchSignals } from "../interruption.ts";
import { readChunks } from "../json-lines/read-chunks.ts";
import { splitLines } from "../json-lines/split-lines.ts";
import { newTimeOrderedId } from "../time-ordered-id.ts";

export interface AcpOptions extends CommonOptions {
  readonly gpt: string | undefined;
  readonly metricsPort: number | undefined;
}

/** The limit of the ACP SDK, so clients send no more. */
const MAX_MESSAGE_LENGTH = 32 * 1024 * 1024;
/** Editors kill agents that do not exit soon. */
const CLOSE_WITHIN_MS = 1_800;

const FOR_PEOPLE = `This command is for editors, and waits for one now. Press Ctrl-C to end it.
To set up your editor, see docs/editors.md. To chat here, run: tacklebox chat
`;

/** Serves an editor over stdin and stdout until it closes stdin. Stdout carries the protocol and nothing else. */
export async function run(context: Context, options: AcpOptions): Promise<ExitCode> {
  const { io } = context;
  const { gpt, metricsPort } = options;
  const stdout = io.takeStdout();
  const outbox = createOutbox(stdout);
  let couldOpen = true;
  const hooks: PeerHooks = {
    answer: (method, params, signal) => agent.answer(method, params, signal),
    onNotification: (method, params) => agent.onNotification(method, params),
    onBug(error, method) {
      const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
      void io.stderr.write(`${method} failed because of an error of Tacklebox's own. Please report it.\n${detail}\n`);
    },
  };
  const peer = createPeer(outbox, hooks);
  const agent = createAgent({
    settings: gpt === undefined ? {} : { gpt },
    newId: newTimeOrderedId,
    notify: (sessionId, update) => peer.notify("session/update", { sessionId, update }),
    async openDoor(client) {
      const { openDoor } = await import("../acp/door.ts");
      try {
        return await openDoor({ context, common: options, gpt, metricsPort, client });
      } catch (error) {
        couldOpen = false;
        await io.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
        throw error;
      }
    },
    async openSession(request, door, { abilities }) {
      const { openEditorSession } = await import("../acp/editor-session.ts");
      return openEditorSession(request, { door, peer, abilities, drained: () => outbox.drained() });
    },
  });

  if (io.stdinKind === "terminal") await io.stderr.write(FOR_PEOPLE);
  const { interrupted, terminated, dispose } = watchSignals(io.control);
  const ended = AbortSignal.any([interrupted, terminated, stdout.gone]);
  for await (const line of splitLines(readChunks(io.stdin, ended), MAX_MESSAGE_LENGTH)) peer.receive(line);
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

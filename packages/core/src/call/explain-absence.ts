import type { CallFailure, CallRequest, Ending } from "../domain/call.ts";
import type { Toolbox } from "../domain/tool.ts";
import { nearestName, suggestion } from "../text/nearest-name.ts";
import { findObstacles, type Sight, unseenServers } from "../toolbox/find-obstacles.ts";
import { type Obstacle, toSentence, withNext } from "../toolbox/obstacle.ts";

/** What is known when a tool was not found: more than its caller may know. */
export interface AbsenceSight extends Sight {
  /** What the caller may use. */
  readonly usable: Toolbox;
  /** Whether the caller may know that the server exists. */
  isVisible(server: string): boolean;
}

type Told = Pick<CallFailure, "ending" | "message">;

/**
 * Why the tool of a request cannot be called. The failure tells the operator; its veil is for callers that must not
 * learn of tools and servers that are hidden from them (T25).
 */
export function explainAbsence(request: CallRequest, sight: AbsenceSight): CallFailure {
  const { tool, server } = request;
  const [obstacle] = findObstacles(tool, server, sight);
  const ordinary = unknown(request, sight.usable);
  const failure = obstacle === undefined ? unknownToAll(request, ordinary, sight) : toFailure(obstacle);
  const isTold = obstacle !== undefined && isForCaller(obstacle, request, sight);
  return isTold || failure.message === ordinary.message ? failure : { ...failure, veil: ordinary };
}

/** A caller is told of a server that is away if it named that server, or knows the tool from before. */
function isForCaller({ kind, ref }: Obstacle, { tool, server }: CallRequest, sight: AbsenceSight): boolean {
  if (kind !== "down" && kind !== "coming" && kind !== "sign-in-needed") return false;
  return server === undefined ? sight.usable.expected.has(tool) : sight.isVisible(ref.server);
}

const ENDINGS = {
  coming: "cancelled",
  down: "unreachable",
  "sign-in-needed": "sign-in-needed",
  disabled: "denied",
  quarantined: "denied",
  "kept-out": "denied",
} as const satisfies Record<Obstacle["kind"], Ending>;

function toFailure({ kind, ref, text, next }: Obstacle): Told {
  const ending = ENDINGS[kind];
  if (kind === "coming")
    return { ending, message: `The call was cancelled while it waited for server '${quoted(ref.server)}' to connect` };
  return {
    ending,
    message: ending === "denied" ? withNext(`Tool call denied: ${text}`, next) : toSentence(text, next),
  };
}

/** What a caller is told of whatever it cannot use. */
function unknown({ tool, server }: CallRequest, { tools, servers }: Toolbox): Told {
  const ending = "unknown-tool";
  const own = server === undefined ? tools : servers.get(server);
  if (own === undefined) {
    const hint = suggestion(server ?? "", [...servers.keys()]);
    return {
      ending,
      message: `Unknown tool '${quoted(tool)}': no server '${quoted(server ?? "")}' offers any.${hint}`,
    };
  }
  const hint = suggestion(
    tool,
    Array.from(own.values(), ({ shownName }) => shownName),
  );
  const where = server === undefined ? "" : ` of server '${quoted(server)}'`;
  return { ending, message: `Unknown tool '${quoted(tool)}'${where}.${hint}` };
}

/** The same, with what an operator may know: servers without tools, and servers that may have the tool. */
function unknownToAll({ tool, server }: CallRequest, { ending, message }: Told, sight: AbsenceSight): Told {
  const keys = sight.servers.map(({ definition }) => definition.key);
  if (server !== undefined) {
    if (keys.includes(server)) {
      const own = sight.usable.servers.get(server);
      return own === undefined
        ? {
            ending,
            message: `Unknown tool '${quoted(tool)}': server '${quoted(server)}' has no tools that may be called.`,
          }
        : { ending, message };
    }
    const meant = nearestName(server, keys);
    const hint = meant === undefined ? "" : ` Did you mean '${meant}'?`;
    return { ending, message: `Unknown tool '${quoted(tool)}': there is no server '${quoted(server)}'.${hint}` };
  }
  const away = unseenServers(sight).map(
    ({ definition, state }) =>
      `'${definition.name}'${state?.failure === undefined ? "" : ` (${state.failure.message.split("\n", 1)[0]})`}`,
  );
  if (away.length === 0) return { ending, message };
  const more = away.length > MAX_NAMED ? ` and ${away.length - MAX_NAMED} more` : "";
  const servers = `${away.slice(0, MAX_NAMED).join(", ")}${more}`;
  const text =
    away.length === 1
      ? `Server ${servers} is down and may have it`
      : `These servers are down and may have it: ${servers}`;
  return { ending, message: `${message} ${text}.` };
}

const MAX_NAMED = 3;

const MAX_QUOTE_LENGTH = 200;

/** So short that a message is never cut on its way to a model, which could then read on in its record. */
function quoted(name: string): string {
  return name.length <= MAX_QUOTE_LENGTH ? name : `${name.slice(0, MAX_QUOTE_LENGTH)}…`;
}

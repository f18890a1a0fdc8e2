import { isJsonObject } from "@tacklebox/core";
import { describeNetwork } from "./describe-network.ts";

/** The facts about an error the SDK threw, whichever of its many shapes it has. */
export interface VendorFailure {
  /** The HTTP status, if the vendor answered at all. */
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Every code and type the vendor gave, outermost first. */
  readonly codes: readonly string[];
  /** The vendor's own message. */
  readonly message: string;
  /** Whether the connection failed or broke, according to the platform. */
  readonly isNetwork: boolean;
  /** The SDK's name for its error. */
  readonly name: string;
  /** Whether the answer stopped before it was complete. */
  readonly isCut: boolean;
  /** Whether nothing of an answer had arrived. */
  readonly isEmpty: boolean;
}

export function readFailure(error: unknown): VendorFailure {
  const outer = membersOf(error);
  const body = parseBody(outer.responseBody);
  // An Error's own message is the SDK's wording; the vendor's is in the data it carries.
  const bodies = [outer.data, body, error instanceof Error ? undefined : error].flatMap(errorsIn);
  const words = bodies.map(({ message }) => message).find((message) => typeof message === "string");
  const network = networkCodeIn(error);
  const name = nameOf(error, body);
  const status = typeof outer.statusCode === "number" ? outer.statusCode : undefined;
  return {
    // The SDK makes up a status for a first event that it cannot parse.
    status: UNREADABLE_NAMES.has(name) ? undefined : status,
    headers: isTextRecord(outer.responseHeaders) ? outer.responseHeaders : {},
    codes: [...new Set(bodies.flatMap(({ code, type }) => [code, type]).filter((code) => typeof code === "string"))],
    message: words ?? (typeof error === "string" ? error : describeNetwork(network ?? "")),
    // A request that got no answer has no status.
    isNetwork: network !== undefined || (name === "AI_APICallError" && status === undefined),
    name,
    isCut: isCut(name, network, status),
    isEmpty: outer.hasBegun === false || name === "AI_EmptyResponseBodyError",
  };
}

const UNREADABLE_NAMES: ReadonlySet<string> = new Set(["AI_JSONParseError", "AI_TypeValidationError"]);
const CUT_NAMES: ReadonlySet<string> = new Set(["CutStream", "AI_EmptyResponseBodyError"]);

function isCut(name: string, network: string | undefined, status: number | undefined): boolean {
  if (CUT_NAMES.has(name)) return true;
  return network !== undefined && status !== undefined && status < 300;
}

function nameOf(error: unknown, body: unknown): string {
  const { name } = membersOf(body);
  if (typeof name === "string" && UNREADABLE_NAMES.has(name)) return name;
  return error instanceof Error ? error.name : "";
}

/** Vendors put the error at the top level, under `error`, or under `response.error`; Ollama's is a plain string. */
function errorsIn(body: unknown): readonly Members[] {
  const members = membersOf(body);
  const inner = typeof members.error === "string" ? { message: members.error } : membersOf(members.error);
  return [inner, membersOf(membersOf(members.response).error), members];
}

type Members = Readonly<Record<string, unknown>>;

function membersOf(value: unknown): Members {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Members {
  return typeof value === "object" && value !== null;
}

function isTextRecord(value: unknown): value is Record<string, string> {
  return isJsonObject(value) && Object.values(value).every((item) => typeof item === "string");
}

function parseBody(body: unknown): unknown {
  if (typeof body !== "string") return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

const MAX_CAUSES = 8;

/** Platforms report a broken connection as a TypeError, or with a system code somewhere in the chain of causes. */
function networkCodeIn(error: unknown): string | undefined {
  let current = error;
  let found: string | undefined;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth += 1) {
    if ("code" in current && typeof current.code === "string" && /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(current.code)) {
      return current.code;
    }
    if (current instanceof TypeError) found = "";
    current = current.cause;
  }
  return found;
}

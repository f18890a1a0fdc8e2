import {
  type CallRequest,
  findInexactNumbers,
  inexactText,
  isJsonObject,
  type Json,
  type JsonObject,
} from "@tacklebox/core";
import type { InputLine } from "./split-lines.ts";

/** An id of the sender's choice, repeated in the line's outcome. */
export type LineId = string | number | boolean | null;

export type ParsedLine =
  | { readonly kind: "request"; readonly id: LineId; readonly request: CallRequest }
  | {
      readonly kind: "refused";
      readonly id: LineId;
      readonly server: string | null;
      readonly tool: string | null;
      readonly message: string;
    };

const KEYS = ["id", "server", "tool", "arguments"];

export function parseLine(line: InputLine, longest: number): ParsedLine {
  const where = `line ${line.number}`;
  if (line.kind === "too-long") return refuse(`${where}: longer than ${longest / 1024 / 1024} MiB; it was skipped`);
  if (line.kind === "not-utf8") return refuse(`${where}: not UTF-8 text`);

  const parsed = parseJson(line.text);
  if (parsed.kind === "invalid") return refuse(`${where}: not JSON: ${parsed.reason}`);
  const { value } = parsed;
  if (!isJsonObject(value)) return refuse(`${where}: not an object; write {"tool": "name", "arguments": {}}`);
  const request = parseRequest(value, where);
  const [inexact] = findInexactNumbers(line.text);
  if (inexact === undefined || request.kind === "refused") return request;
  const { id, request: call } = request;
  const known = { id: inexact.path === "/id" ? null : id, server: call.server ?? null, tool: call.tool };
  return refuse(`${where}: ${inexactText(inexact)}`, known);
}

function parseRequest(value: JsonObject, where: string): ParsedLine {
  const { id = null, server, tool, arguments: callArguments = {} } = value;
  if (!isScalar(id)) return refuse(`${where}: id must be a string, number, boolean or null`);
  const known = {
    id,
    server: typeof server === "string" ? server : null,
    tool: typeof tool === "string" ? tool : null,
  };

  const unknown = Object.keys(value).find((key) => !KEYS.includes(key));
  if (unknown !== undefined)
    return refuse(`${where}: unknown key ${JSON.stringify(unknown)}; a line has ${KEYS.join(", ")}`, known);
  if (typeof tool !== "string" || tool === "") return refuse(`${where}: tool must be the name of a tool`, known);
  if (server !== undefined && typeof server !== "string")
    return refuse(`${where}: server must be the name of a server`, known);
  if (!isJsonObject(callArguments)) return refuse(`${where}: arguments must be an object`, known);

  const request: CallRequest = { tool, ...(server === undefined ? {} : { server }), arguments: callArguments };
  return { kind: "request", id, request };
}

function refuse(
  message: string,
  known: { id: LineId; server: string | null; tool: string | null } = { id: null, server: null, tool: null },
): ParsedLine {
  return { kind: "refused", ...known, message };
}

export type ParsedJson =
  | { readonly kind: "ok"; readonly value: Json }
  | { readonly kind: "invalid"; readonly reason: string };

export function parseJson(text: string): ParsedJson {
  try {
    const value: Json = JSON.parse(text);
    return { kind: "ok", value };
  } catch (error) {
    if (error instanceof SyntaxError) return { kind: "invalid", reason: error.message };
    throw error;
  }
}

function isScalar(value: Json): value is LineId {
  return typeof value !== "object" || value === null;
}

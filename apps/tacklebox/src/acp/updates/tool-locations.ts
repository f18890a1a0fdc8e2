import { isAbsolute, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { ToolCallLocation } from "@agentclientprotocol/sdk";
import { isObject, type Members } from "../rpc/is-object.ts";

const PATH_KEY = /(^|_)(path|paths|file|files|filename|dir|directory|folder|source|destination|uri)$/;
const LINE_KEYS = ["line", "start_line", "startLine", "line_number", "lineNumber"];
const MAX_LOCATIONS = 20;
const MAX_PATH_LENGTH = 4096;

/** The files a call is about, for editors that follow along: arguments that are named like paths and look like them. */
export function toLocations(args: Members, cwd: string): ToolCallLocation[] {
  const paths = Object.entries(args)
    .filter(([key]) => PATH_KEY.test(toSnakeCase(key)))
    .flatMap(([, value]) => (Array.isArray(value) ? value : [value]))
    .flatMap((value) => toPath(value, cwd) ?? []);
  const line = LINE_KEYS.map((key) => args[key]).find(isLineNumber);
  return [...new Set(paths)]
    .slice(0, MAX_LOCATIONS)
    .map((path, index) => ({ path, ...(index === 0 && line !== undefined && { line }) }));
}

function toPath(value: unknown, cwd: string): string | undefined {
  // Some tools take a list of objects, such as `edits: [{ path }]`. One level is enough in practice.
  const text = isObject(value) ? value.path : value;
  if (typeof text !== "string" || text === "" || text.length > MAX_PATH_LENGTH || /[\n\r\0]/.test(text))
    return undefined;
  if (text.startsWith("file:")) return URL.canParse(text) ? fromFileUrl(text) : undefined;
  if (/^[a-z][a-z0-9+.-]+:/i.test(text) && !isAbsolute(text)) return undefined;
  return resolve(cwd, text);
}

function fromFileUrl(text: string): string | undefined {
  try {
    return fileURLToPath(text);
  } catch {
    // The URL names another machine, whose files the editor cannot open.
    return undefined;
  }
}

function isLineNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value < 2 ** 32;
}

function toSnakeCase(key: string): string {
  return key.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();
}

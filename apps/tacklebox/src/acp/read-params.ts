import { isAbsolute, resolve } from "node:path";
import { isObject, type Members } from "./rpc/is-object.ts";
import { RpcError } from "./rpc/rpc-error.ts";

/** The folders and MCP servers of a session. The servers are parsed later, one by one. */
export interface SessionParams {
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  readonly mcpServers: unknown;
}

export function readMembers(params: unknown): Members {
  if (!isObject(params)) throw new RpcError("params", "params must be an object");
  return params;
}

export function readText(params: unknown, key: string): string {
  const value = readMembers(params)[key];
  if (typeof value !== "string" || value === "") throw new RpcError("params", `${key} must be a string`);
  return value;
}

export function readOptionalText(params: unknown, key: string): string | undefined {
  const value = isObject(params) ? params[key] : undefined;
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw new RpcError("params", `${key} must be a string`);
  return value;
}

/** Reads the params that `session/new`, `session/load` and `session/resume` have in common. */
export function readSessionParams(params: unknown): SessionParams {
  const { additionalDirectories, mcpServers } = readMembers(params);
  const cwd = readText(params, "cwd");
  const additional = additionalDirectories ?? [];
  if (!Array.isArray(additional))
    throw new RpcError("params", "additionalDirectories must be a list of absolute paths");
  return {
    cwd: absolute(cwd, "cwd"),
    additionalDirectories: additional.map((folder) => absolute(folder, "additionalDirectories")),
    mcpServers,
  };
}

export function readFolder(params: unknown, key: string): string | undefined {
  const folder = readOptionalText(params, key);
  return folder === undefined ? undefined : absolute(folder, key);
}

/** Normalizes a folder for comparison: editors do not agree about the trailing slash. */
function absolute(folder: unknown, key: string): string {
  if (typeof folder === "string" && isAbsolute(folder)) return resolve(folder);
  throw new RpcError("params", `${key} must be an absolute path, not ${JSON.stringify(folder)}`);
}

import type { ListSessionsResponse } from "@agentclientprotocol/sdk";
import { type Engine, EngineError, type Page, type Session } from "@tacklebox/core";
import { RpcError } from "./rpc/rpc-error.ts";

export interface ListQuery {
  readonly folder: string | undefined;
  readonly cursor: string | undefined;
}

const PAGE = 50;

/** Lists the sessions of a folder, or of any folder. A page may be short, because other sessions are filtered out. */
export async function listSessions(engine: Engine, { folder, cursor }: ListQuery): Promise<ListSessionsResponse> {
  const { items, next } = await readPage(engine, cursor);
  const sessions = items.flatMap(({ id, title, updatedAt, folders = [] }) => {
    const [cwd, ...additionalDirectories] = folders;
    if (cwd === undefined || (folder !== undefined && folder !== cwd)) return [];
    return [{ sessionId: id, cwd, additionalDirectories, title, updatedAt }];
  });
  return { sessions, ...(next !== undefined && { nextCursor: next }) };
}

async function readPage(engine: Engine, cursor: string | undefined): Promise<Page<Session>> {
  try {
    return await engine.sessions.list({ limit: PAGE, ...(cursor !== undefined && { after: cursor }) });
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== "invalid") throw error;
    throw new RpcError("params", "cursor is not valid");
  }
}

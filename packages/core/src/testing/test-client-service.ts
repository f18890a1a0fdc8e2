import { MCPClientError } from "../rfc-009/client-error.ts";
import { createMCPClientService, type MCPClientServiceDeps } from "../rfc-009/client-service.ts";
import type { MCPToolCall } from "../rfc-009/schemas.ts";
import { createMemoryServerRecords } from "./memory/memory-server-records.ts";
import { createTestEngine, type TestEngineOptions } from "./test-engine.ts";

/** The ids that a test service assigns, in this order. */
export const TEST_SERVER_IDS = [
  "7d444840-9dc0-41d1-b245-5ffdce74fad2",
  "16fd2706-8baf-433b-82eb-8c7fada847da",
] as const;

export interface TestServiceOptions extends TestEngineOptions {
  readonly service?: Partial<MCPClientServiceDeps>;
}

/** RFC-009's service on a real engine with scripted ports. `statuses` and `calls` collect what it reported. */
export function createTestService({ service: parts = {}, ...options }: TestServiceOptions = {}) {
  const test = createTestEngine(options);
  const records = createMemoryServerRecords();
  const ids: string[] = [...TEST_SERVER_IDS];
  const service = createMCPClientService({
    engine: test.engine,
    records,
    newId: () => ids.shift() ?? "",
    now: test.clock.now,
    approvalMode: "auto",
    ...parts,
  });
  const statuses: string[] = [];
  const calls: MCPToolCall[] = [];
  const place = (id: string) => [...TEST_SERVER_IDS, ""].indexOf(id);
  service.onConnectionChange((id, status) => void statuses.push(`${place(id)} ${status}`));
  service.onToolCall((call) => void calls.push(call));
  return { ...test, records, service, statuses, calls };
}

/** Returns the MCPClientError that `work` rejects with. */
export async function clientFailure(work: Promise<unknown>): Promise<{ code: string; message: string }> {
  const error: unknown = await work.then(
    () => new Error("It should have been refused"),
    (reason: unknown) => reason,
  );
  if (!(error instanceof MCPClientError)) throw error;
  return { code: error.code, message: error.message };
}

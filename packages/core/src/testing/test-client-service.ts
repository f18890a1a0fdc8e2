import { MCPClientError } from "../rfc-009/client-error.ts";
import { createMCPClientService, type MCPClientServiceParts } from "../rfc-009/client-service.ts";
import type { MCPToolCall } from "../rfc-009/schemas.ts";
import { createMemoryServerRecords } from "./memory-server-records.ts";
import { createTestEngine, type TestEngineOptions } from "./test-engine.ts";

/** The ids a test service gives, in this order. */
export const TEST_SERVER_IDS = [
  "7d444840-9dc0-41d1-b245-5ffdce74fad2",
  "16fd2706-8baf-433b-82eb-8c7fada847da",
] as const;

export interface TestServiceOptions extends TestEngineOptions {
  readonly service?: Partial<MCPClientServiceParts>;
}

/** RFC-009's service over a real engine on scripted ports. `statuses` and `calls` are what it announced. */
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

/** What `work` was rejected with, which must be an MCPClientError. */
export async function clientFailure(work: Promise<unknown>): Promise<{ code: string; message: string }> {
  const error: unknown = await work.then(
    () => new Error("It should have been refused"),
    (reason: unknown) => reason,
  );
  if (!(error instanceof MCPClientError)) throw error;
  return { code: error.code, message: error.message };
}

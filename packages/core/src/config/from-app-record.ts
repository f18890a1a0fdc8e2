import { z } from "zod";
import { type ServerDefinition, UNGOVERNED } from "../domain/server.ts";
import { checkShape } from "./check-shape.ts";
import { AuthenticationFields, Environment, Flag, Headers, Text, TextList, whole } from "./fields.ts";
import { type FromEntry, toFromEntry } from "./from-entry.ts";
import { Report } from "./report.ts";
import { isServerName } from "./to-definition.ts";
import { type LaunchRules, toLaunch } from "./to-launch.ts";

const Moment = z.iso.datetime({ offset: true, error: "must be a date and time such as 2026-01-31T12:00:00Z" });

/** S1.5: a server as the app keeps it. */
const AppRecord = z.strictObject(
  {
    id: z.uuid({ error: "must be a UUID" }),
    name: Text.refine(isServerName, { error: "must have 1 to 100 characters and no control characters" }),
    description: Text.nullish(),
    transport: Text,
    command: Text.nullish(),
    args: TextList.nullish(),
    env: Environment.nullish(),
    url: Text.nullish(),
    headers: Headers.nullish(),
    authentication: AuthenticationFields.default({ type: "none" }),
    timeout: whole(1_000, 300_000).default(30_000),
    retryAttempts: whole(0, 5).default(3),
    enabled: Flag.default(true),
    lastConnectedAt: Moment.nullish(),
    createdAt: Moment,
    updatedAt: Moment,
  },
  { error: "must be an object that describes one server" },
);
type AppRecord = z.infer<typeof AppRecord>;

const RULES: LaunchRules = {
  transports: new Map([
    ["stdio", "stdio"],
    ["http", "http"],
    ["sse", "sse"],
  ]),
  // S1.22 gives the whole text.
  advice: "",
  absent: "required",
  misplaced: "refuse",
  plainHttp: "refuse",
};

/** D.12: people add servers to the app without knowing them, so these start with a rate limit. */
const APP_RATE = { perMinute: 600, burst: 60 };

/** The definition behind a record of the app. Its texts are taken as they are: only files may name the environment. */
export function fromAppRecord(record: unknown): FromEntry {
  const report = new Report();
  const fields = checkShape(AppRecord, record, ["record"], report);
  if (fields === undefined) return toFromEntry(undefined, report);
  refuseStoredSecrets(fields, report);
  return toFromEntry(toAppDefinition(fields, report), report);
}

function toAppDefinition(fields: AppRecord, report: Report): ServerDefinition | undefined {
  const launch = toLaunch(fields.name, fields, RULES, ["record"], report);
  if (launch === undefined) return undefined;
  return {
    ...UNGOVERNED,
    scope: "app",
    key: fields.id,
    name: fields.name,
    ...(fields.description ? { description: fields.description } : {}),
    launch,
    enabled: fields.enabled,
    retryAttempts: fields.retryAttempts,
    timeoutMs: fields.timeout,
    rate: APP_RATE,
  };
}

// Sent as they stand, such references would reach the server as text instead of the secret they name.
function refuseStoredSecrets(fields: AppRecord, report: Report): void {
  if (!JSON.stringify(fields).includes("${secret:")) return;
  report.problem(["record"], `Stored secrets (\${secret:…}) are not available yet; enter the value itself`);
}

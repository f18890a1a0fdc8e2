import * as z from "zod/mini";
import { type ServerDefinition, UNGOVERNED } from "../../domain/server.ts";
import { checkShape } from "../document/check-shape.ts";
import { Report } from "../document/report.ts";
import { AuthenticationFields, Environment, Flag, Headers, Text, TextList, whole } from "./fields.ts";
import { type FromEntry, toFromEntry } from "./from-entry.ts";
import { isServerName } from "./to-definition.ts";
import { type LaunchRules, toLaunch } from "./to-launch.ts";

const Moment = z.iso.datetime({ offset: true, error: "must be a date and time such as 2026-01-31T12:00:00Z" });

/** A server as the app saves it (S1.5). */
const AppRecord = z.strictObject(
  {
    id: z.uuid({ error: "must be a UUID" }),
    name: Text.check(z.refine(isServerName, { error: "must have 1 to 100 characters and no control characters" })),
    description: z.nullish(Text),
    transport: Text,
    command: z.nullish(Text),
    args: z.nullish(TextList),
    env: z.nullish(Environment),
    url: z.nullish(Text),
    headers: z.nullish(Headers),
    authentication: z._default(AuthenticationFields, { type: "none" }),
    timeout: z._default(whole(1_000, 300_000), 30_000),
    retryAttempts: z._default(whole(0, 5), 3),
    enabled: z._default(Flag, true),
    lastConnectedAt: z.nullish(Moment),
    createdAt: Moment,
    updatedAt: Moment,
  },
  { error: "must be an object that describes one server" },
);
type AppRecord = z.infer<typeof AppRecord>;

const RULES: LaunchRules = {
  notation: "app",
  // The message for an unknown transport is fixed (S1.22), so nothing may be added to it.
  advice: "none",
  absent: "required",
  misplaced: "refuse",
  plainHttp: "refuse",
};

/** People add servers they do not know well to the app, so these start with a rate limit. */
const APP_RATE = { perMinute: 600, burst: 60 };

export interface AppRecordOptions {
  /** `allowed` if a vault is open: the record may then refer to secrets, but not to another server's. */
  readonly secrets?: "refused" | "allowed";
}

/** Converts a record of the app to a definition. Variables are not filled in: only files may read the environment. */
export function fromAppRecord(record: unknown, { secrets = "refused" }: AppRecordOptions = {}): FromEntry {
  const report = new Report();
  const lifted = setAsideUserName(record);
  const fields = checkShape(AppRecord, lifted.record, ["record"], report);
  if (fields === undefined) return toFromEntry(undefined, report);
  const names = secretNames(record);
  if (secrets === "refused" && names.length > 0) report.problem(["record"], NO_VAULT);
  // A server must not get another's credentials by referring to them.
  const foreign = names.some((name) => name.startsWith("mcp:") && !name.startsWith(`mcp:${fields.id}:`));
  if (foreign) report.problem(["record"], "A server may not use another server's credentials; enter the value itself");
  const definition = toAppDefinition(fields, report);
  return toFromEntry(definition && lifted.putBack(definition), report);
}

const NO_VAULT = `Stored secrets (\${secret:…}) need a vault, and none is open here; enter the value itself`;

function secretNames(record: unknown): string[] {
  return [...JSON.stringify(record).matchAll(/\$\{secret:([^}]*)\}/g)].map(([, name = ""]) => name);
}

const NamedUser = z.looseObject({
  authentication: z.looseObject({
    type: z.literal("basic"),
    username: z.string().check(z.regex(/^\$\{secret:[^}]*\}$/)),
  }),
});

/** A user name must not contain a colon, but a reference to a secret does, so it is set aside during the check. */
function setAsideUserName(record: unknown) {
  const named = NamedUser.safeParse(record);
  if (!named.success) return { record, putBack: (definition: ServerDefinition) => definition };
  const { authentication } = named.data;
  return {
    record: { ...named.data, authentication: { ...authentication, username: "name" } },
    putBack: (definition: ServerDefinition): ServerDefinition => {
      const { launch } = definition;
      if (!("authentication" in launch) || launch.authentication.type !== "basic") return definition;
      const { username } = authentication;
      return { ...definition, launch: { ...launch, authentication: { ...launch.authentication, username } } };
    },
  };
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

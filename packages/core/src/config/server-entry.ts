import { z } from "zod";
import {
  AuthenticationFields,
  DefaultToolConfig,
  Duration,
  Environment,
  Flag,
  Headers,
  NameList,
  NonEmptyText,
  oneOf,
  Rate,
  ServerTimeout,
  Text,
  TextList,
  whole,
} from "./fields.ts";

/** One server as people write it in a file. An empty value (`cwd:` with nothing behind it) is the same as none. */
export const ServerEntry = z.strictObject(
  {
    transport: Text.nullish(),
    command: Text.nullish(),
    args: TextList.nullish(),
    env: Environment.nullish(),
    cwd: Text.nullish(),
    url: Text.nullish(),
    headers: Headers.nullish(),
    authentication: AuthenticationFields.nullish(),
    allow_insecure_http: Flag.nullish(),
    description: Text.nullish(),
    protocol: oneOf(["auto", "legacy", "modern", "2026-07-28"]).nullish(),
    mode: oneOf(["strict", "dynamic"]).nullish(),
    default_tool_config: DefaultToolConfig.nullish(),
    required: Flag.nullish(),
    enabled: Flag.nullish(),
    retry_attempts: whole(0, 5).nullish(),
    timeout: ServerTimeout.nullish(),
    reconnect: oneOf(["auto", "never"]).nullish(),
    max_concurrent: whole(1).nullish(),
    rate: Rate.nullish(),
    include: oneOf(["always", "manual", "agent"]).nullish(),
    approval: oneOf(["auto", "ask", "deny"]).nullish(),
    pin: oneOf(["warn", "block"]).nullish(),
    allow: NameList.nullish(),
    deny: NameList.nullish(),
    prompts: NameList.nullish(),
  },
  { error: "must be a map that describes one server" },
);
export type ServerEntry = z.infer<typeof ServerEntry>;

/** One entry of `toolbox.tools`. `mcp` is S4's word for `server`. */
export const ToolFields = z.strictObject(
  {
    name: NonEmptyText,
    server: Text.nullish(),
    mcp: Text.nullish(),
    max_instances: whole(1).nullish(),
    timeout: Duration.nullish(),
    approval: oneOf(["auto", "ask", "deny"]).nullish(),
    include: oneOf(["always", "manual", "agent"]).nullish(),
    mode: oneOf(["strict", "dynamic"]).nullish(),
  },
  { error: "must be a map with the name of a tool and its limits" },
);
export type ToolFields = z.infer<typeof ToolFields>;

/** The part of a toolbox that is not servers. Tools are checked one by one, so that one bad entry hides no other. */
export const ToolboxFields = z.strictObject(
  {
    max_concurrent: whole(1).nullish(),
    max_wait: Duration.nullish(),
    local: NameList.nullish(),
    tools: z.array(z.unknown(), { error: "must be a list of tools" }).nullish(),
    collisions: oneOf(["hide", "qualify"]).nullish(),
    local_collision: oneOf(["local_wins", "last_wins"]).nullish(),
  },
  { error: "must be a map" },
);
export type ToolboxFields = z.infer<typeof ToolboxFields>;

import * as z from "zod/mini";
import { IncludeMode, ToolApproval } from "../../domain/approval.ts";
import { ProtocolChoice } from "../../domain/server.ts";
import { Mode } from "../../domain/tool-entry.ts";
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
  Share,
  Text,
  TextList,
  whole,
} from "./fields.ts";

/** One server as people write it in a file. An empty value (`cwd:` with nothing after it) is the same as none. */
export const WrittenEntry = z.strictObject(
  {
    transport: z.nullish(Text),
    command: z.nullish(Text),
    args: z.nullish(TextList),
    env: z.nullish(Environment),
    cwd: z.nullish(Text),
    url: z.nullish(Text),
    headers: z.nullish(Headers),
    authentication: z.nullish(AuthenticationFields),
    allow_insecure_http: z.nullish(Flag),
    description: z.nullish(Text),
    protocol: z.nullish(oneOf([...ProtocolChoice.options, "2026-07-28"])),
    mode: z.nullish(oneOf(Mode.options)),
    default_tool_config: z.nullish(DefaultToolConfig),
    required: z.nullish(Flag),
    enabled: z.nullish(Flag),
    retry_attempts: z.nullish(whole(0, 5)),
    timeout: z.nullish(ServerTimeout),
    reconnect: z.nullish(oneOf(["auto", "never"])),
    max_concurrent: z.nullish(whole(1)),
    rate: z.nullish(Rate),
    include: z.nullish(oneOf(IncludeMode.options)),
    approval: z.nullish(oneOf(ToolApproval.options)),
    pin: z.nullish(oneOf(["warn", "block"])),
    allow: z.nullish(NameList),
    deny: z.nullish(NameList),
    prompts: z.nullish(NameList),
  },
  { error: "must be a map that describes one server" },
);
export type WrittenEntry = z.infer<typeof WrittenEntry>;

/** One entry of `toolbox.tools`. Toolbox files call `server` `mcp`. */
export const ToolFields = z.strictObject(
  {
    name: NonEmptyText,
    server: z.nullish(Text),
    mcp: z.nullish(Text),
    max_instances: z.nullish(whole(1)),
    timeout: z.nullish(Duration),
    approval: z.nullish(oneOf(ToolApproval.options)),
    include: z.nullish(oneOf(IncludeMode.options)),
    mode: z.nullish(oneOf(Mode.options)),
  },
  { error: "must be a map with the name of a tool and its limits" },
);
export type ToolFields = z.infer<typeof ToolFields>;

/** How tools are chosen for a request when not all of them fit. */
export const SearchFields = z.strictObject(
  {
    budget: z.nullish(whole(500)),
    top_k: z.nullish(whole(1, 100)),
    top_n: z.nullish(whole(0, 100)),
    include_score: z.nullish(Share),
    embeddings: z.nullish(NonEmptyText),
    rerank: z.nullish(NonEmptyText),
  },
  { error: "must be a map with budget, top_k, top_n, include_score, embeddings and rerank" },
);
export type SearchFields = z.infer<typeof SearchFields>;

/** A toolbox without its servers. Tools are checked one by one, so that one bad entry does not hide others. */
export const ToolboxFields = z.strictObject(
  {
    max_concurrent: z.nullish(whole(1)),
    max_wait: z.nullish(Duration),
    local: z.nullish(NameList),
    tools: z.nullish(z.array(z.unknown(), { error: "must be a list of tools" })),
    collisions: z.nullish(oneOf(["hide", "qualify"])),
    local_collision: z.nullish(oneOf(["local_wins", "last_wins"])),
    search: z.nullish(SearchFields),
  },
  { error: "must be a map" },
);
export type ToolboxFields = z.infer<typeof ToolboxFields>;

import * as z from "zod/mini";
import { number, object, optional, string } from "../json/schema.ts";
import { IncludeMode, ToolApproval } from "./approval.ts";

/** `strict`: every tool must be configured. `dynamic`: unconfigured tools take the server's defaults. */
export const Mode = z.enum(["strict", "dynamic"]);
export type Mode = z.infer<typeof Mode>;

/** What `toolbox.tools` says about one tool. Absent fields were not written. */
export const ToolEntry = object({
  name: string,
  /** Binds the entry to one server; without it the entry applies to every tool of that name. */
  server: optional(string),
  maxInstances: optional(number),
  timeoutMs: optional(number),
  approval: optional(ToolApproval),
  include: optional(IncludeMode),
  /** Overrides the server's mode for this one tool's limits. */
  mode: optional(Mode),
});
export type ToolEntry = z.infer<typeof ToolEntry>;

import * as z from "zod/mini";
import { list, map, object, optional, string } from "../json/schema.ts";
import { ApprovalMode, IncludeMode } from "./approval.ts";

/** A saved assistant: instructions, a model, a choice of tools, and an approval mode. */
export const Gpt = object({
  /** Unique; what people type after --gpt. */
  key: string,
  name: string,
  description: optional(string),
  instructions: string,
  /** The model's name; the default model if absent. */
  model: optional(string),
  /** Keys of the servers it may use; every server if absent. */
  servers: optional(list(string)),
  /** Include modes of single tools, by `server:tool`; `off` means never. */
  tools: map(z.enum([...IncludeMode.options, "off"])),
  approval: ApprovalMode,
  /** `server:tool`; a bare name counts only while exactly one tool has it. */
  trustedTools: list(string),
});
export type Gpt = z.infer<typeof Gpt>;

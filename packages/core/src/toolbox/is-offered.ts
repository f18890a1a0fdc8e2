import type { RegisteredTool } from "../domain/tool.ts";
import { type Access, entryOf } from "../servers/access.ts";

/** Whether a tool is sent to models and found by search: not if all its calls would be denied. */
export function isOffered({ ref, approval }: RegisteredTool, access: Access): boolean {
  if (approval === "deny") return false;
  return entryOf(access, ref)?.definition.pin !== "block" || access.setOf(ref).catalog.pinOf(ref).kind !== "changed";
}

import type { RegisteredTool } from "@tacklebox/core";
import { describeMembers } from "./describe-shape.ts";
import { readShapes } from "./schema-shapes.ts";

const MAX_PARAMETERS = 30;

/** Such as `read_file(path: string, head?: integer)`. */
export function formatSignature({ shownName, tool }: RegisteredTool): string {
  const shapes = readShapes(tool.inputSchema);
  const [top] = shapes.of(tool.inputSchema);
  const members = top === undefined ? [] : shapes.membersOf(top);
  return `${shownName}(${describeMembers(members, shapes, 1, MAX_PARAMETERS)})`;
}

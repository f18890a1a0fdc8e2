import { isJsonObject, type Json, type JsonObject } from "@tacklebox/core";

/** Returns the value if it is an object, else an empty one. Schemas are untrusted: any member may be anything. */
export function objectIn(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function textsIn(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((item: Json) => typeof item === "string") : [];
}

/** Returns the schema with the hint appended to its description. */
export function appendToDescription(schema: JsonObject, hint: string): JsonObject {
  if (hint === "") return schema;
  const before = typeof schema.description === "string" ? `${schema.description} ` : "";
  return { ...schema, description: before + hint };
}

import * as z from "zod/mini";
import { isJsonObject, type JsonObject as JsonObjectValue, type Json as JsonValue } from "./json.ts";

// Building blocks for the schemas of domain values. Their types are read-only. z.readonly would do that too, but it
// freezes every value and marks it `readOnly` in JSON Schema, which tells HTTP clients not to send it.

export type Schema<T> = z.ZodMiniType<T>;

type Members<Shape extends z.core.$ZodShape> = Readonly<z.core.$InferObjectOutput<Shape, Record<never, never>>>;

interface ObjectInternals<Shape extends z.core.$ZodShape>
  extends z.core.$ZodTypeInternals<Members<Shape>, Members<Shape>> {
  /** How a union tells its members apart. */
  propValues: z.core.util.PropValues;
}

export interface ObjectSchema<Shape extends z.core.$ZodShape>
  extends z.ZodMiniType<Members<Shape>, Members<Shape>, ObjectInternals<Shape>> {
  readonly shape: Shape;
}

// Shared by all schemas: creating one takes microseconds, and there are hundreds of members.
export const string = z.string();
export const number = z.number();
export const boolean = z.boolean();

const optionals = new WeakMap<z.core.SomeType, Schema<unknown>>();

/** Marks a member that may be absent but is never `undefined`. */
export function optional<Member extends z.core.SomeType>(member: Member): z.ZodMiniExactOptional<Member>;
export function optional(member: z.core.SomeType): Schema<unknown> {
  const known = optionals.get(member) ?? z.exactOptional(member);
  optionals.set(member, known);
  return known;
}

/** Keeps unknown members: a newer version may have written them, and they must survive a save by this one. */
export function object<Shape extends z.core.$ZodShape>(shape: Shape): ObjectSchema<Shape>;
export function object(shape: z.core.$ZodShape): Schema<unknown> {
  return z.looseObject(shape);
}

export function list<Item extends z.core.SomeType>(item: Item): Schema<readonly z.output<Item>[]> {
  return z.array(item);
}

export function map<Value extends z.core.SomeType>(value: Value): Schema<Readonly<Record<string, z.output<Value>>>> {
  return z.record(string, value);
}

/** Any JSON value. It is neither checked nor copied: it may be megabytes, and it comes from a JSON parser. */
export const Json: Schema<JsonValue> = z.any();
export type Json = JsonValue;

/** Any JSON object; its members are not checked. */
export const JsonObject: Schema<JsonObjectValue> = z.any().check(z.refine(isJsonObject), z.meta({ type: "object" }));
export type JsonObject = JsonObjectValue;

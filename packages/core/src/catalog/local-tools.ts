import type { LocalTool } from "../domain/tool.ts";
import type { JsonObject, JsonSchema } from "../json/json.ts";

const NUMBERS: JsonSchema = {
  type: "object",
  properties: { numbers: { type: "array", items: { type: "number" }, description: "The numbers", minItems: 1 } },
  required: ["numbers"],
  additionalProperties: false,
};

export const LOCAL_TOOLS: readonly LocalTool[] = [
  {
    name: "sum_numbers",
    description: "Adds numbers and returns their sum",
    inputSchema: NUMBERS,
    run: (args) => String(numbersOf(args).reduce((sum, next) => sum + next, 0)),
  },
  {
    name: "multiply_numbers",
    description: "Multiplies numbers and returns their product",
    inputSchema: NUMBERS,
    run: (args) => String(numbersOf(args).reduce((product, next) => product * next, 1)),
  },
  {
    name: "current_time",
    description: "Returns the current date and time in a time zone (UTC unless one is given)",
    inputSchema: {
      type: "object",
      properties: { timezone: { type: "string", description: "An IANA time zone such as Europe/Berlin" } },
      additionalProperties: false,
    },
    run: ({ timezone }, now) => currentTime(typeof timezone === "string" ? timezone : "UTC", now),
  },
];

function numbersOf({ numbers }: JsonObject): number[] {
  return Array.isArray(numbers) ? numbers.filter((item) => typeof item === "number") : [];
}

function currentTime(timeZone: string, now: Date): string {
  const parts = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" }).format(now);
  return `${parts} ${timeZone}`;
}

import { toReadError } from "./store-error.ts";

type Reading = (...given: never[]) => unknown;

/** Wraps the methods of a part of the store so that what SQLite throws reaches callers as StoreError. */
export function explainReadErrors<T extends object>(part: T, file: string): T {
  const wrapped = Object.entries(part).map(([name, member]) => [
    name,
    typeof member === "function" ? explained(member as Reading, file) : member,
  ]);
  return Object.fromEntries(wrapped);
}

function explained(method: Reading, file: string): Reading {
  return async (...given) => {
    try {
      return await method(...given);
    } catch (error) {
      throw toReadError(file, error);
    }
  };
}

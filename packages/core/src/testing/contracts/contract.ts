/**
 * A contract test is a list of named cases, so that any runner can run it:
 * `for (const test of storeContract(create)) it(test.name, test.run)`.
 */
export interface ContractCase {
  readonly name: string;
  run(): Promise<void>;
}

export function assertEqual(actual: unknown, expected: unknown, what: string): void {
  const seen = stableText(actual);
  const wanted = stableText(expected);
  if (seen !== wanted) throw new Error(`${what}\n  expected ${wanted}\n  but was  ${seen}`);
}

export function assertThat(condition: boolean, what: string): void {
  if (!condition) throw new Error(what);
}

export async function assertRejects(promise: Promise<unknown>, what: string): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`${what}: it should have been refused`);
}

function stableText(value: unknown): string {
  return (
    JSON.stringify(value, (_key, item: unknown) => {
      if (typeof item !== "object" || item === null || Array.isArray(item)) return item;
      return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
    }) ?? "undefined"
  );
}

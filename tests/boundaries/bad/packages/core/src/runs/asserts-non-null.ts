// breaks style/noNonNullAssertion
export const first = (list: readonly string[]) => list[0]!;

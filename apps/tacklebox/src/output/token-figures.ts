/** The tokens a model reported for one answer, over all of its turns. */
export interface TokenCount {
  readonly input: number;
  readonly output: number;
}

/** Says how much a model read and wrote, such as `1,204 tokens in, 85 out`. */
export function formatTokens({ input, output }: TokenCount): string {
  return `${inGroups(input)} ${input === 1 ? "token" : "tokens"} in, ${inGroups(output)} out`;
}

/** Groups of three digits, whatever the locale of the machine. */
function inGroups(count: number): string {
  return Math.round(count).toLocaleString("en-US");
}

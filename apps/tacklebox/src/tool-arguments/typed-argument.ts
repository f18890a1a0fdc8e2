/** An argument as it was typed: `name=value`, or `name:=JSON`. */
export interface TypedArgument {
  readonly name: string;
  readonly text: string;
  readonly isJson: boolean;
}

/** Undefined for a word that is no argument. */
export function toTypedArgument(word: string): TypedArgument | undefined {
  const [, name, colon, text] = /^([^=]*[^=:])(:?)=(.*)$/s.exec(word) ?? [];
  if (name === undefined || text === undefined) return undefined;
  return { name, text, isJson: colon === ":" };
}

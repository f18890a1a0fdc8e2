const CODES = { red: 31, green: 32, yellow: 33, cyan: 36, dim: 2, bold: 1, italic: 3 } as const;

export type Colour = keyof typeof CODES;
export type Paint = (text: string, colour: Colour | undefined) => string;

export const plain: Paint = (text) => text;

const coloured: Paint = (text, colour) => (colour === undefined ? text : `\u001b[${CODES[colour]}m${text}\u001b[0m`);

/** Uses colours only on a terminal, and unless NO_COLOR is set (https://no-color.org). */
export function choosePaint(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): Paint {
  return isTerminal && !env.NO_COLOR && env.TERM !== "dumb" ? coloured : plain;
}

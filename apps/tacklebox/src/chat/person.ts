/** Whoever sits at this door: what they are asked, and what they say. */
export interface Person {
  /** What they say next, with the means to say it: earlier lines and completion. */
  readPrompt(signal: AbortSignal): Promise<Said>;
  /** One text, such as a reason. `initial` is there to be changed. */
  readText(label: string, initial: string, signal: AbortSignal): Promise<Said>;
  /** One of several answers; `key` is what they press. */
  choose(choices: readonly Choice[], signal: AbortSignal): Promise<Chosen>;
  close(): void;
}

export interface Choice {
  readonly key: string;
  readonly label: string;
}

export type Said =
  | { readonly kind: "said"; readonly text: string }
  | { readonly kind: "silent"; readonly why: Silence };

export type Chosen =
  | { readonly kind: "chosen"; readonly key: string }
  | { readonly kind: "silent"; readonly why: Silence };

/** Ctrl-C, the end of input (Ctrl-D), or nobody needs the answer any more. */
export type Silence = "interrupted" | "left" | "withdrawn";

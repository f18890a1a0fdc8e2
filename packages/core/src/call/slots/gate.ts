/** A limit that a call needs room in. It is plain data, so that several processes can share one limit. */
export interface Gate {
  /** Identifies the limit. Processes with the same configuration use the same keys. */
  readonly key: string;
  /** The number of calls allowed at once. */
  readonly limit: number;
  readonly of: GateSubject;
}

type GateSubject =
  | { readonly kind: "tool"; readonly name: string }
  | { readonly kind: "server"; readonly name: string }
  | { readonly kind: "toolbox" };

/** The message for a caller that found no room in time. */
export function fullText({ of, limit }: Gate): string {
  return `${subjectText(of)} is at its limit of ${limit} concurrent calls`;
}

function subjectText(subject: GateSubject): string {
  switch (subject.kind) {
    case "tool":
      return `Tool '${subject.name}'`;
    case "server":
      return `Server '${subject.name}'`;
    case "toolbox":
      return "The toolbox";
  }
}

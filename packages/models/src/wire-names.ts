/** Texts as a vendor takes them, and back. Distinct texts stay distinct within one request. */
export interface WireNames {
  toWire(text: string): string;
  /** What was meant by a text the vendor sent; a text nobody mapped means itself. */
  fromWire(wire: string): string;
}

const LEGAL = /^[a-zA-Z0-9_-]+$/;

/**
 * Every vendor takes letters, digits, `_` and `-`, up to a length. What already fits is kept, so `taken` (the tools of
 * the request) keep their names whatever else a long conversation mentions.
 */
export function createWireNames(longest: number, taken: readonly string[] = []): WireNames {
  const toWire = new Map<string, string>();
  const fromWire = new Map<string, string>();
  const add = (text: string, wire: string) => {
    toWire.set(text, wire);
    fromWire.set(wire, text);
    return wire;
  };
  const fits = (text: string) => text.length <= longest && LEGAL.test(text) && !fromWire.has(text);
  for (const text of taken) if (fits(text)) add(text, text);

  return {
    toWire: (text) => toWire.get(text) ?? add(text, fits(text) ? text : freeName(text, longest, fromWire)),
    fromWire: (wire) => fromWire.get(wire) ?? wire,
  };
}

function freeName(text: string, longest: number, used: ReadonlyMap<string, string>): string {
  const legal = text.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, longest) || "_";
  let free = legal;
  for (let count = 2; used.has(free); count += 1) {
    const suffix = `_${count}`;
    free = legal.slice(0, longest - suffix.length) + suffix;
  }
  return free;
}

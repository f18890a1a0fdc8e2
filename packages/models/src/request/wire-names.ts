/** Maps names to ones a vendor accepts, and back. Distinct names stay distinct within one request. */
export interface WireNames {
  toWire(text: string): string;
  /** The original of a name the vendor sent; a name that was never mapped is returned as it is. */
  fromWire(wire: string): string;
}

const LEGAL = /^[a-zA-Z0-9_-]+$/;

/**
 * Every vendor accepts letters, digits, `_` and `-`, up to a length. Names that fit are kept. `taken` (the tools of the
 * request) come first, so that they keep their names whatever else a long conversation mentions.
 */
export function createWireNames(maxLength: number, taken: readonly string[] = []): WireNames {
  const toWire = new Map<string, string>();
  const fromWire = new Map<string, string>();
  const add = (text: string, wire: string) => {
    toWire.set(text, wire);
    fromWire.set(wire, text);
    return wire;
  };
  const fits = (text: string) => text.length <= maxLength && LEGAL.test(text) && !fromWire.has(text);
  for (const text of taken) if (fits(text)) add(text, text);

  return {
    toWire: (text) => toWire.get(text) ?? add(text, fits(text) ? text : freeName(text, maxLength, fromWire)),
    fromWire: (wire) => fromWire.get(wire) ?? wire,
  };
}

function freeName(text: string, maxLength: number, used: ReadonlyMap<string, string>): string {
  const legal = text.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, maxLength) || "_";
  let free = legal;
  for (let count = 2; used.has(free); count += 1) {
    const suffix = `_${count}`;
    free = legal.slice(0, maxLength - suffix.length) + suffix;
  }
  return free;
}

/**
 * Reduces a name to what a person sees of it: names with the same skeleton are easily taken for each other. Case, width,
 * accents and invisible characters do not count, and letters of other alphabets count as the Latin ones they resemble.
 */
export function toSkeleton(name: string): string {
  const plain = IS_ASCII.test(name) ? name : name.normalize("NFKD").replace(UNSEEN, "");
  return plain.toLowerCase().replace(LOOK_ALIKE, (character) => LOOK_ALIKES.get(character) ?? character);
}

const IS_ASCII = /^[ -~]*$/;
/** Marks above and below letters, and characters that are not drawn at all. */
const UNSEEN = /[\p{M}\p{C}\p{Default_Ignorable_Code_Point}]/gu;

/** Each group holds the characters, in lower case, that look like its first one. */
const GROUPS = [
  "aаαɑᴀ",
  "bвβьʙ",
  "cсϲᴄ",
  "dԁᴅ",
  "eеεєᴇ",
  "fғƒ",
  "gɡց",
  "hнһհʜ",
  // A capital I is drawn like a small l, and case does not count.
  "iіιıɩӏl1|ʟ",
  "jјյᴊ",
  "kкκᴋ",
  "mмᴍ",
  "nпηոɴ",
  "o0оοօσᴏ",
  "pрρᴘ",
  "qԛզ",
  "rгʀ",
  "sѕꜱ",
  "tтτᴛ",
  "uυսμᴜ",
  "vνѵᴠ",
  "wԝωᴡ",
  "xхχ",
  "yуγʏ",
  "zζᴢ",
  "-‐‑‒–—―−",
];

const LOOK_ALIKES = new Map(
  GROUPS.flatMap((group) => {
    const [first = "", ...others] = group;
    return others.map((other) => [other, first] as const);
  }),
);

const LOOK_ALIKE = new RegExp(`[${[...LOOK_ALIKES.keys()].join("")}]`, "gu");

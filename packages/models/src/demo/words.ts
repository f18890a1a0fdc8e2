/** Words too common to say anything about which tool is meant. */
const COMMON = new Set(
  "a an and are as at be by can could do does for from get give has have how i in is it its me my now of on or out please show tell that the their them then there this to up use want was what when where which who will with would you your".split(
    " ",
  ),
);

/** The words of a text in a normal form, in which `getUsers` equals `get-user`. Common words are left out. */
export function wordsOf(text: string): string[] {
  const apart = text.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2");
  const words = apart.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) => word.toLowerCase()).flatMap((word) => (COMMON.has(word) ? [] : [singular(word)]));
}

export function isCommon(word: string): boolean {
  return COMMON.has(word.toLowerCase());
}

function singular(word: string): string {
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}

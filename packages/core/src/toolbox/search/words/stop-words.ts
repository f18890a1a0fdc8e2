/** Function words of English, and the polite words that requests begin and end with. */
const WORDS = `
a an the this that these those such same other another some any each few all both own
i me my mine we us our you your he him she his her it its they them their who whom which what whose
im ive id am is are was were be been being do does did done has have had having
can could will would shall should may might must
and or but nor if then than so as because while though
at by for from in into of off on onto to up down out over under about with without within via per
again also too very just more most only even still there here when where why how no not
please help want need like let get got give make sure using use used tell know thanks thank hey hi hello
`;

export const STOP_WORDS: ReadonlySet<string> = new Set(WORDS.split(/\s+/).filter((word) => word !== ""));

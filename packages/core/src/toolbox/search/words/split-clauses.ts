/** Requests of so many words ask for several things, and a tool is good when it is good for one of them. */
const LONG_REQUEST = 30;
const SHORTEST_CLAUSE = 3;
const MOST_CLAUSES = 40;
const LONGEST_QUERY = 20_000;

const BOUNDARY =
  /(?<=[.!?;:。！？；])\s+|\n+|(?:^|\s)[•\-*]\s+|,\s+(?=(?:and|then|plus|also)\b)|\s+(?:and then|then)\s+/u;

/** The parts of a request that stand for themselves: the whole of it unless it is long. */
export function splitClauses(query: string): readonly string[] {
  const capped = query.slice(0, LONGEST_QUERY);
  if (countWords(capped) < LONG_REQUEST) return [capped];
  const clauses = capped.split(BOUNDARY).filter((clause) => countWords(clause) >= SHORTEST_CLAUSE);
  return clauses.length > 1 ? clauses.slice(0, MOST_CLAUSES) : [capped];
}

function countWords(text: string): number {
  return text.trim().split(/\s+/).length;
}

/** Requests with this many words ask for several things; a tool fits if it fits one of them. */
const LONG_REQUEST = 30;
const MIN_CLAUSE_LENGTH = 3;
const MAX_CLAUSES = 40;
const MAX_QUERY_LENGTH = 20_000;

const BOUNDARY =
  /(?<=[.!?;:。！？；])\s+|\n+|(?:^|\s)[•\-*]\s+|,\s+(?=(?:and|then|plus|also)\b)|\s+(?:and then|then)\s+/u;

/** Splits a long request into parts that each ask for something; a short one stays whole. */
export function splitClauses(query: string): readonly string[] {
  const capped = query.slice(0, MAX_QUERY_LENGTH);
  if (countWords(capped) < LONG_REQUEST) return [capped];
  const clauses = capped.split(BOUNDARY).filter((clause) => countWords(clause) >= MIN_CLAUSE_LENGTH);
  return clauses.length > 1 ? clauses.slice(0, MAX_CLAUSES) : [capped];
}

function countWords(text: string): number {
  return text.trim().split(/\s+/).length;
}

/** How tools are chosen where not all of them fit (C3.3). */
export interface SearchSettings {
  /** What tool definitions may take of a request; what is usual for the model's window when absent. */
  readonly budgetTokens?: number;
  /** How many matches are looked at. */
  readonly topK: number;
  /** How many of them are sent however weak they are, best first. */
  readonly topN: number;
  /** The others are sent if they fit at least so well, from 0 to 1. */
  readonly includeScore: number;
  /** A model whose embeddings count beside words; none when absent. */
  readonly embeddings?: string;
  /** A model that says the last word about the order; none when absent. */
  readonly rerank?: string;
}

export const DEFAULT_SEARCH: SearchSettings = { topK: 20, topN: 20, includeScore: 0.7 };

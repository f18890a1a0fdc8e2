/** How tools are chosen when not all of them fit. */
export interface SearchSettings {
  /** How many tokens of a request tool definitions may take; derived from the model's context window if absent. */
  readonly budgetTokens?: number;
  /** How many matches are considered. */
  readonly topK: number;
  /** How many of the best matches are sent, however low their scores. */
  readonly topN: number;
  /** The score, from 0 to 1, from which the other matches are sent too. */
  readonly includeScore: number;
  /** A model whose embeddings are used besides words; none if absent. */
  readonly embeddings?: string;
  /** A model that decides the final order; none if absent. */
  readonly rerank?: string;
}

export const DEFAULT_SEARCH: SearchSettings = { topK: 20, topN: 20, includeScore: 0.7 };

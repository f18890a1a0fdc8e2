/**
 * Brings the bytes of the word vectors that parseStaticVectors reads. Called at most once, by the first search for tools;
 * a rejection leaves the search to words alone.
 */
export type LoadWordVectors = () => Promise<Uint8Array>;

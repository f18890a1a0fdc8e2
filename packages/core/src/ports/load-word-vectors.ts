/**
 * Loads the bytes of the word vectors, which parseStaticVectors reads. Called at most once, by the first search for
 * tools; if it rejects, tools are searched by words alone.
 */
export type LoadWordVectors = () => Promise<Uint8Array>;

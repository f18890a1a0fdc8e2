import { type CountingServer, listenCounting } from "./listen-counting.ts";

/** Starts a server that accepts connections and never responds. */
export function startStalled(): Promise<CountingServer> {
  return listenCounting(() => undefined);
}

import { type CountingServer, listenCounting } from "./listen-counting.ts";

/** Accepts connections and says nothing. */
export function startStalled(): Promise<CountingServer> {
  return listenCounting(() => undefined);
}

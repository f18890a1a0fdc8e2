import { createServer } from "node:net";

/** Below 32768, where systems start handing out ephemeral ports, so that a port found free stays free. */
const PORTS = { first: 20_000, count: 12_000 };
/** Multiplied so that test workers, whose process ids are close to each other, start far apart. */
let chosen = process.pid * 97;

/** Finds a port that nothing listens on. */
export async function freePort(): Promise<number> {
  for (;;) {
    // Sequential rather than random: two servers that start at the same time must not get the same port.
    chosen += 1;
    const port = PORTS.first + (chosen % PORTS.count);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

/** Only bounds a test that has already failed, also on a busy machine. */
const LONGEST_WAIT_MS = 60_000;

/** Lets everything else run until the condition holds. Fails loudly rather than hanging. */
export async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  const startedAt = performance.now();
  while (!(await condition())) {
    if (performance.now() - startedAt > LONGEST_WAIT_MS) throw new Error("The condition never came true");
    await new Promise<void>((resolve) => setTimeout(resolve, 1));
  }
}

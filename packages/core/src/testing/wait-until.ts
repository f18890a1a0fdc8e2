/** Only ends a test that has already failed, even on a busy machine. */
const MAX_WAIT_MS = 60_000;

/** Waits until the condition holds; throws instead of hanging if it never does. */
export async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  const startedAt = performance.now();
  while (!(await condition())) {
    if (performance.now() - startedAt > MAX_WAIT_MS) throw new Error("The condition never came true");
    await new Promise<void>((resolve) => setTimeout(resolve, 1));
  }
}

// @ts-check
import { measure } from "./subject.mjs";

const ATTEMPTS = 3;

/** @typedef {import("./subject.mjs").Subject} Subject */
/** @typedef {Record<string, number>[]} Measured one entry per round */

/**
 * Measures every subject once per round, in alternating order: whatever slows the machine for a while slows them all,
 * and no subject always runs first.
 *
 * @param {readonly Subject[]} subjects
 * @param {{ rounds: number, profile: boolean, say: (line: string) => void }} settings
 * @returns {Promise<Map<string, Measured>>} by name
 */
export async function runRounds(subjects, { rounds, profile, say }) {
  /** @type {Map<string, Measured>} */
  const measured = new Map(subjects.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? subjects : [...subjects].reverse();
    for (const subject of order) {
      say(`round ${round + 1} of ${rounds}: ${subject.name}`);
      measured.get(subject.name)?.push(await measureWithRetries(subject, { profile, say }));
    }
  }
  return measured;
}

/**
 * Retries, because on a busy machine a kept-alive connection may close just as the next request is sent, which ends
 * some clients.
 *
 * @param {Subject} subject
 * @param {{ profile: boolean, say: (line: string) => void }} settings
 */
async function measureWithRetries(subject, { profile, say }) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await measure(subject, { profile });
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      say(`${error instanceof Error ? error.message : String(error)}\nonce more: ${subject.name}`);
    }
  }
}

/**
 * Returns one figure of one subject for each round.
 *
 * @param {ReadonlyMap<string, Measured>} measured
 * @param {string} name
 * @param {string} figure
 */
export function figures(measured, name, figure) {
  return (measured.get(name) ?? []).map((round) => {
    const value = round[figure];
    if (value === undefined) throw new Error(`${name} did not measure ${figure}.`);
    return value;
  });
}

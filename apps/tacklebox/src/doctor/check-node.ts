import type { DoctorFinding } from "./finding.ts";

const OLDEST = [20, 19] as const;

export function checkNode(version: string): DoctorFinding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isRecent = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
  if (isRecent) return { about: "node", verdict: "ok", text: `Node.js ${version}` };
  return {
    about: "node",
    verdict: "problem",
    text: `Node.js ${version} is too old.`,
    next: `Install Node.js ${OLDEST.join(".")} or newer.`,
  };
}

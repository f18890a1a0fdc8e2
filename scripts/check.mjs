// @ts-check
// npm run check: format, lint, types, boundaries and dead code. Shows a tool's output only when it fails.
import { ensureInstalled } from "./install.mjs";
import { binOf, exitWith, runNode } from "./run.mjs";

await exitWith(async () => {
  await ensureInstalled();
  const checks = [
    {
      name: "format and lint",
      args: [binOf("@biomejs/biome", "biome"), "check", "--colors=off", "--diagnostic-level=warn", "."],
    },
    { name: "promises", args: [binOf("oxlint"), "--type-aware", "."] },
    { name: "types", args: [binOf("typescript", "tsc"), "-b"] },
    { name: "script types", args: [binOf("typescript", "tsc"), "-p", "scripts"] },
    { name: "bench types", args: [binOf("typescript", "tsc"), "-p", "bench"] },
    { name: "boundaries", args: ["scripts/boundaries.mjs"] },
    { name: "dead code", args: [binOf("knip"), "--no-progress"] },
  ];
  const codes = await Promise.all(checks.map(runCheck));
  return codes.every((code) => code === 0) ? 0 : 1;
});

/** @param {{ name: string, args: readonly string[] }} check */
async function runCheck({ name, args }) {
  const started = performance.now();
  const { code, output } = await runNode(args, { capture: true });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`${code === 0 ? "ok    " : "failed"} ${name.padEnd(16)} ${seconds} s\n`);
  if (code !== 0) process.stdout.write(`${output.trimEnd()}\n\n`);
  return code;
}

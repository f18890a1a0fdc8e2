// @ts-check
// npm run pack: builds the program as one package that can be installed anywhere, dist/tacklebox-VERSION.tgz.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "./bundle.mjs";
import { ensureInstalled, npmProgram } from "./install.mjs";
import { licencesOf } from "./licences.mjs";
import { exitWith, root, runNode } from "./run.mjs";

const LICENCES = "THIRD-PARTY-LICENCES.md";
/** Files and folders copied from the root unchanged. */
const COPIED = ["LICENSE", "README.md", "CHANGELOG.md", "SECURITY-MODEL.md", "docs", "examples", "schemas"];

await exitWith(async () => {
  await ensureInstalled();
  const stage = mkdtempSync(join(tmpdir(), "tacklebox-pack-"));
  try {
    const sources = await bundle(join(stage, "dist"), { maps: false });
    writeFileSync(join(stage, LICENCES), licencesOf(sources));
    cpSync(join(root, "apps/tacklebox/bin"), join(stage, "bin"), { recursive: true });
    for (const name of COPIED) cpSync(join(root, name), join(stage, name), { recursive: true });
    const manifest = toManifest();
    writeFileSync(join(stage, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    return await pack(stage, `tacklebox-${manifest.version}.tgz`);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
});

/** The workspace's manifest without everything that only serves to build it. */
function toManifest() {
  const { description } = readJson("package.json");
  const { name, version, license, type, engines, bin, dependencies } = readJson("apps/tacklebox/package.json");
  const files = ["bin", "dist", LICENCES, ...COPIED];
  return { name, version, description, license, type, engines, bin, files, dependencies };
}

/**
 * @param {string} stage
 * @param {string} file
 */
async function pack(stage, file) {
  const target = join(root, "dist");
  mkdirSync(target, { recursive: true });
  const args = ["pack", "--pack-destination", target, "--loglevel=error"];
  const { code, output } = await runNode([npmProgram(), ...args], { cwd: stage, capture: true });
  if (code !== 0) throw new Error(`npm pack ended with code ${code}:\n${output.trim()}`);
  const megabytes = (statSync(join(target, file)).size / 1e6).toFixed(1);
  process.stdout.write(`dist/${file}, ${megabytes} MB. Install it with: npm install -g ./dist/${file}\n`);
  return 0;
}

/** @param {string} path */
function readJson(path) {
  return JSON.parse(readFileSync(join(root, path), "utf8"));
}

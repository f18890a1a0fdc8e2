// @ts-check
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Licences that only require their text and copyright lines to be included. */
const ALLOWED = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BlueOak-1.0.0", "ISC", "MIT", "Unlicense"];

/**
 * Writes one page with the licence of every package in a bundle. Throws when a licence requires more than such a page.
 *
 * @param {readonly string[]} sources the files in the bundle
 */
export function licencesOf(sources) {
  const folders = new Set(sources.flatMap(packageFolder));
  const packages = [...folders].map(readPackage).sort((a, b) => a.title.localeCompare(b.title));
  const refused = packages.filter(({ licence }) => !ALLOWED.includes(licence));
  if (refused.length > 0)
    throw new Error(`Not to be bundled: ${refused.map(({ title, licence }) => `${title} (${licence})`).join(", ")}`);
  const intro = "# Third-party licences\n\nTacklebox contains these packages, whole or in part.\n";
  return [intro, ...packages.map(toSection)].join("\n");
}

/**
 * Returns the innermost package a file belongs to: `node_modules/a` or `node_modules/@scope/a`.
 *
 * @param {string} file
 */
function packageFolder(file) {
  const [folder] = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(file) ?? [];
  return folder === undefined || folder.startsWith("\0") ? [] : [folder];
}

/** @param {string} folder */
function readPackage(folder) {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  const texts = files.sort().map((file) => readFileSync(join(folder, file), "utf8").trim());
  return { title: `${name} ${version}`, licence: String(license), author: author?.name ?? author, texts };
}

/** @param {ReturnType<typeof readPackage>} found */
function toSection({ title, licence, author, texts }) {
  const body = texts.length > 0 ? texts : [standardText(licence, author ?? `the authors of ${title}`)];
  return `## ${title}\n\nLicence: ${licence}\n\n${body.map(quote).join("\n\n")}\n`;
}

/**
 * Returns the standard text, for packages that name a licence but do not include its text.
 *
 * @param {string} licence
 * @param {string} author
 */
function standardText(licence, author) {
  if (licence === "Apache-2.0")
    return `Copyright ${author}\n\nThe text of this licence is in LICENSE, beside this page.`;
  if (licence === "MIT") return `Copyright (c) ${author}\n\n${MIT}`;
  throw new Error(`${author}: there is no text of the licence ${licence} to give along`);
}

const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the
Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE,
ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/** @param {string} text */
function quote(text) {
  return text.replaceAll(/^/gm, "> ").replaceAll(/[ \t]+$/gm, "");
}

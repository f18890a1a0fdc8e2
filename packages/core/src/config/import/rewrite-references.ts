import { SECRET_NAME } from "../../ports/vault.ts";
import { isMap } from "../document/check-shape.ts";
import type { Path } from "../document/path.ts";
import { printable } from "../document/path.ts";
import type { Report } from "../document/report.ts";

export interface RewrittenEntry {
  readonly entry: unknown;
  /** VS Code's input ids, by the name of the secret that replaces each. */
  readonly inputs: ReadonlyMap<string, string>;
  /** Environment variables that the entry reads. */
  readonly reads: readonly string[];
  /** References that only an editor can resolve. */
  readonly unknown: readonly string[];
}

interface Findings {
  readonly report: Report;
  readonly inputs: Map<string, string>;
  readonly reads: Set<string>;
  readonly unknown: Set<string>;
}

/**
 * Rewrites other programs' `${…}` to the syntax of our own files; references without a meaning here are kept as text.
 */
export function rewriteReferences(entry: unknown, path: Path, report: Report): RewrittenEntry {
  const findings: Findings = { report, inputs: new Map(), reads: new Set(), unknown: new Set() };
  const rewritten = rewrite(entry, path, path.length, findings);
  const { inputs, reads, unknown } = findings;
  return { entry: rewritten, inputs, reads: [...reads], unknown: [...unknown] };
}

function rewrite(value: unknown, path: Path, depth: number, findings: Findings): unknown {
  if (typeof value === "string") return rewriteText(value, path, String(path[depth]), findings);
  if (Array.isArray(value)) return value.map((item, index) => rewrite(item, [...path, index], depth, findings));
  if (!isMap(value)) return value;
  const members = Object.entries(value).map(([key, member]) => [key, rewrite(member, [...path, key], depth, findings)]);
  return Object.fromEntries(members);
}

function rewriteText(text: string, path: Path, field: string, { report, inputs, reads, unknown }: Findings): string {
  return text.replace(/\$\$\{|\$\{([^}]*)\}|\$\{/g, (match, reference: string | undefined, offset: number) => {
    if (match === "$${") return match;
    const written = reference ?? "";
    if (written.startsWith("secret:")) {
      report.problem(
        path,
        `It uses \${${printable(written)}}: a file from elsewhere may not name secrets of this vault`,
      );
      return match;
    }
    if (written.startsWith("input:")) {
      const id = written.slice("input:".length);
      const name = toSecretName(id);
      if (!mayHoldSecret(field, text, offset))
        report.problem(path, `It asks for \${${printable(written)}} in ${where(field)}, where no secret can stand`);
      inputs.set(name, id);
      return `\${secret:${name}}`;
    }
    const [, variable, fallback = ""] = /^(?:env:)?([A-Za-z_]\w*)(:-[\s\S]*)?$/.exec(written) ?? [];
    if (variable === undefined || EDITOR_VARIABLES.has(variable)) {
      unknown.add(match);
      return `$${match}`;
    }
    reads.add(variable);
    return `\${${variable}${fallback}}`;
  });
}

const EDITOR_VARIABLES: ReadonlySet<string> = new Set([
  "workspaceFolder",
  "workspaceFolderBasename",
  "workspaceRoot",
  "userHome",
  "pathSeparator",
  "cwd",
  "execPath",
  "file",
  "fileBasename",
  "fileBasenameNoExtension",
  "fileDirname",
  "fileExtname",
  "fileWorkspaceFolder",
  "relativeFile",
  "relativeFileDirname",
  "lineNumber",
  "selectedText",
  "defaultBuildTask",
]);

const SECRET_FIELDS: ReadonlySet<string> = new Set(["args", "env", "headers", "authentication"]);

/** A secret may be an argument or be sent along, but never decides which program runs or which host is called. */
function mayHoldSecret(field: string, text: string, offset: number): boolean {
  if (field === "url") return /^https?:\/\/[^/?#]+[/?#]/i.test(text.slice(0, offset));
  return SECRET_FIELDS.has(field);
}

function where(field: string): string {
  return field === "url" ? "the host of its url" : `'${printable(field)}'`;
}

function toSecretName(id: string): string {
  const name = id.replace(/[^A-Za-z0-9_.-]+/g, "_").replace(/^[^A-Za-z0-9]+/, "");
  return SECRET_NAME.test(name) ? name : `input_${name}`.slice(0, 100);
}

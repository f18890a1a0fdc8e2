import { isJsonObject, type JsonObject, type JsonSchema } from "../json/json.ts";
import { createReferences, type SchemaResource } from "../json/schema-references.ts";
import { ARRAY_KEYWORDS, compileItems, compileUnevaluatedItems } from "./array-keywords.ts";
import { COMBINING_KEYWORDS, REFERENCE_KEYWORDS } from "./combining-keywords.ts";
import type { Compiler, Keywords, SchemaDraft } from "./keyword.ts";
import type { Patterns } from "./match-pattern.ts";
import { compileMembers, compileUnevaluatedMembers, OBJECT_KEYWORDS } from "./object-keywords.ts";
import { addSeen, type CompiledCheck, createSeen, descend, mismatch, spendOn } from "./run.ts";
import { NUMBER_KEYWORDS, STRING_KEYWORDS, VALUE_KEYWORDS } from "./scalar-keywords.ts";

/**
 * Compiles a schema into functions that call each other. No code is generated, so that it works under a strict CSP.
 * Throws if a part is not a schema or a reference cannot be resolved.
 */
export function compileSchema(root: JsonSchema, patterns: Patterns): CompiledCheck {
  const references = createReferences(root);
  const ready = new Map<JsonObject, CompiledCheck>();
  let depth = 0;
  // Most schemas have no such reference, and need not keep track of where a check is.
  const isDynamic = /"\$(?:dynamic|recursive)Ref"/.test(JSON.stringify(root));

  const compiler: Compiler = {
    draft: draftOf(root),
    pattern: patterns,
    schema(part) {
      if (part === true) return () => true;
      if (part === false) return (value, run, path) => mismatch(run, "false", root, value, path);
      if (!isJsonObject(part)) throw new Error("a part of the tool's schema is not a schema");
      return ready.get(part) ?? compilePart(part);
    },
    reference(holder, reference) {
      const target = references.resolve(holder, reference);
      if (target === undefined)
        throw new Error(`the tool's schema refers to '${reference}', which is not in it; nothing is fetched`);
      return compiler.schema(target);
    },
    dynamicReference(holder, keyword, reference) {
      const usual = compiler.reference(holder, reference);
      const targets = references.dynamicTargets(holder, keyword, reference);
      if (targets === undefined) return usual;
      const checks = new Map(Array.from(targets, ([resource, target]) => [resource, compiler.schema(target)]));
      return (value, run, path, seen) => {
        if (!spendOn(run, run.resources.length)) return false;
        const outermost = run.resources.find((resource) => checks.has(resource));
        const check = outermost === undefined ? usual : (checks.get(outermost) ?? usual);
        return check(value, run, path, seen);
      };
    },
  };

  const compilePart = (part: JsonObject): CompiledCheck => {
    if (depth > MAX_SCHEMA_DEPTH)
      throw new Error(`the tool's schema is nested more than ${MAX_SCHEMA_DEPTH} levels deep`);
    let check: CompiledCheck | undefined;
    // A part may refer to one that is still being compiled, including itself.
    ready.set(part, (value, run, path, seen) => check?.(value, run, path, seen) ?? true);
    depth += 1;
    const resource = isDynamic ? references.resourceOf(part) : undefined;
    const node = compileNode(part, compiler);
    check = resource === undefined ? node : withinResource(resource, node);
    depth -= 1;
    ready.set(part, check);
    return check;
  };

  return compiler.schema(root);
}

/** The catalog accepts less; this is for schemas that did not go through it. */
const MAX_SCHEMA_DEPTH = 200;

const KEYWORDS: Keywords = [
  ...REFERENCE_KEYWORDS,
  ...VALUE_KEYWORDS,
  ...COMBINING_KEYWORDS,
  ...OBJECT_KEYWORDS,
  ...ARRAY_KEYWORDS,
  ...NUMBER_KEYWORDS,
  ...STRING_KEYWORDS,
];

function compileNode(schema: JsonObject, compiler: Compiler): CompiledCheck {
  const isReference = typeof schema.$ref === "string" && (compiler.draft === "4" || compiler.draft === "7");
  const keywords = isReference ? REFERENCE_KEYWORDS : KEYWORDS;
  const checks = keywords.map(([keyword, compile]) =>
    schema[keyword] === undefined || !Object.hasOwn(schema, keyword)
      ? undefined
      : compile(schema[keyword], schema, compiler),
  );
  if (!isReference) checks.push(compileMembers(schema, compiler), compileItems(schema, compiler));
  const first = checks.filter((check) => check !== undefined);
  const last = isReference
    ? []
    : [compileUnevaluatedMembers(schema, compiler), compileUnevaluatedItems(schema, compiler)].filter(
        (check) => check !== undefined,
      );
  return last.length === 0 ? inOrder(first) : withOwnSeen(inOrder([...first, ...last]));
}

/** Keeps track of the resources that a check is in, for references whose meaning depends on it. */
function withinResource(resource: SchemaResource, check: CompiledCheck): CompiledCheck {
  return (value, run, path, seen) => {
    if (run.resources.at(-1) === resource) return check(value, run, path, seen);
    run.resources.push(resource);
    const fits = check(value, run, path, seen);
    run.resources.pop();
    return fits;
  };
}

function inOrder(checks: readonly CompiledCheck[]): CompiledCheck {
  return (value, run, path, seen) => {
    if (!descend(run)) return false;
    let fits = true;
    for (let index = 0; index < checks.length && (fits || run.mismatches !== undefined); index += 1)
      fits = (checks[index]?.(value, run, path, seen) ?? true) && fits;
    run.depth -= 1;
    return fits;
  };
}

/** Gives the schema its own `seen`: what the schemas around it evaluated does not count for it. */
function withOwnSeen(check: CompiledCheck): CompiledCheck {
  return (value, run, path, seen) => {
    const own = createSeen();
    const fits = check(value, run, path, own);
    return (seen === undefined || addSeen(seen, own, run)) && fits;
  };
}

function draftOf({ $schema }: JsonSchema): SchemaDraft {
  if (typeof $schema !== "string") return "2020-12";
  if ($schema.includes("draft-04")) return "4";
  if ($schema.includes("draft-06") || $schema.includes("draft-07")) return "7";
  return $schema.includes("2019-09") ? "2019-09" : "2020-12";
}

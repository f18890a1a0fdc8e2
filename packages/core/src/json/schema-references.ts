import { isJsonObject, type Json, type JsonObject } from "./json.ts";
import { subschemas } from "./schema-parts.ts";

export type SchemaNode = boolean | JsonObject;

/** Resolves references within one schema. Nothing outside that document can be referenced, so nothing is ever fetched. */
export interface SchemaReferences {
  /** `holder` is the subschema that contains the reference. Undefined if it points to no schema in this document. */
  resolve(holder: JsonObject, reference: string): SchemaNode | undefined;
  /**
   * Where a dynamic reference leads, by the resource that decides it: the outermost of those that the check is in.
   * Undefined if it is to be resolved like any other reference.
   */
  dynamicTargets(
    holder: JsonObject,
    keyword: DynamicKeyword,
    reference: string,
  ): ReadonlyMap<SchemaResource, JsonObject> | undefined;
  /** The resource that a subschema belongs to; undefined if only a pointer leads to it. */
  resourceOf(part: JsonObject): SchemaResource | undefined;
}

/** `$recursiveRef` is how draft 2019-09 writes it. */
export type DynamicKeyword = "$dynamicRef" | "$recursiveRef";

/** The whole schema, or a subschema with its own `$id`, which is the base for the references below it. */
export interface SchemaResource {
  readonly root: JsonObject;
  readonly address: string;
}
type Resource = SchemaResource;

/** The index is per document, so two tools that use the same `$id` cannot affect each other (T28). */
export function createReferences(root: JsonObject): SchemaReferences {
  const whole: Resource = { root, address: addressOf(root.$id, "schema:///") ?? "schema:///" };
  const resources = new Map<string, Resource>([[whole.address, whole]]);
  const resourceOf = new Map<JsonObject, Resource>();
  const anchors = new Map<string, JsonObject>();
  /** By name, then by resource. */
  const dynamicAnchors = new Map<string, Map<Resource, JsonObject>>();

  // Most schemas contain no reference, so the index is built on first use.
  const index = () => {
    const waiting: [unknown, Resource][] = [[root, whole]];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [part, above] = next;
      if (!isJsonObject(part) || resourceOf.has(part)) continue;
      const resource = part === root ? whole : enter(part, above);
      resourceOf.set(part, resource);
      for (const name of [part.$anchor, part.$dynamicAnchor, anchorInId(part)])
        if (typeof name === "string") anchors.set(`${resource.address}#${name}`, part);
      if (typeof part.$dynamicAnchor === "string") addDynamic(part.$dynamicAnchor, resource, part);
      for (const [, sub] of subschemas(part)) waiting.push([sub, resource]);
    }
  };

  const addDynamic = (name: string, resource: Resource, part: JsonObject) => {
    const named = dynamicAnchors.get(name) ?? new Map<Resource, JsonObject>();
    dynamicAnchors.set(name, named.set(resource, part));
  };

  const enter = (part: JsonObject, above: Resource): Resource => {
    const address = addressOf(part.$id, above.address);
    if (address === undefined || resources.has(address)) return above;
    const resource = { root: part, address };
    resources.set(address, resource);
    return resource;
  };

  const references: SchemaReferences = {
    resourceOf(part) {
      if (resourceOf.size === 0) index();
      return resourceOf.get(part);
    },
    dynamicTargets(holder, keyword, reference) {
      const target = references.resolve(holder, reference);
      if (!isJsonObject(target)) return undefined;
      if (keyword === "$recursiveRef") {
        const roots = [...resources.values()].filter(({ root: top }) => top.$recursiveAnchor === true);
        return target.$recursiveAnchor === true ? new Map(roots.map((one) => [one, one.root])) : undefined;
      }
      // Only if it leads to a dynamic anchor of this name does the name mean any other.
      const name = decoded(reference.split("#", 2)[1] ?? "");
      return target.$dynamicAnchor === name ? dynamicAnchors.get(name) : undefined;
    },
    resolve(holder, reference) {
      if (resourceOf.size === 0) index();
      const from = resourceOf.get(holder) ?? whole;
      const [place = "", fragment = ""] = reference.split("#", 2);
      const resource = place === "" ? from : resources.get(addressOf(place, from.address) ?? "");
      if (resource === undefined) return undefined;
      if (fragment === "") return resource.root;
      const steps = decoded(fragment);
      // Many schemas write pointers from the document root even though an `$id` in between changes the base.
      if (steps.startsWith("/")) return at(resource.root, steps) ?? at(root, steps);
      return anchors.get(`${resource.address}#${steps}`);
    },
  };
  return references;
}

function addressOf(id: unknown, base: string): string | undefined {
  if (typeof id !== "string" || id === "" || id.startsWith("#") || !URL.canParse(id, base)) return undefined;
  const { href, hash } = new URL(id, base);
  return href.slice(0, href.length - hash.length).replace(/#$/, "");
}

/** Older drafts wrote `$id: "#name"` where newer ones write `$anchor`. */
function anchorInId({ $id }: JsonObject): string | undefined {
  return typeof $id === "string" && $id.startsWith("#") ? $id.slice(1) : undefined;
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

function at(root: JsonObject, pointer: string): SchemaNode | undefined {
  let node: Json | undefined = root;
  for (const step of pointer.split("/").slice(1)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof node !== "object" || node === null || !Object.hasOwn(node, key)) return undefined;
    node = Array.isArray(node) ? node[Number(key)] : (node as JsonObject)[key];
  }
  return typeof node === "boolean" || isJsonObject(node) ? node : undefined;
}

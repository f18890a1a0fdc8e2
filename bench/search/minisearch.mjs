// @ts-check

/**
 * @param {{ addAll(documents: readonly object[]): void, search(query: string): { id: string }[] }} search
 * @param {readonly import("./load-search.mjs").ListedTool[]} tools
 * @returns {import("./load-search.mjs").Engine}
 */
export function toEngine(search, tools) {
  search.addAll(tools.map(toDocument));
  return {
    search: (query, k = 10) =>
      search
        .search(query ?? "")
        .slice(0, k)
        .map(({ id }) => id),
  };
}

/** @param {import("./load-search.mjs").ListedTool} tool */
function toDocument({ id, server = "", name, description = "", inputSchema = {} }) {
  const properties = Object.entries(/** @type {{ properties?: object } | null} */ (inputSchema)?.properties ?? {});
  const details = properties.map(([, property]) => String(property?.description ?? ""));
  return {
    id,
    server,
    name,
    description,
    parameters: properties.map(([key]) => key).join(" "),
    details: details.join(" "),
  };
}

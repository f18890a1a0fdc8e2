/** A number with its noun, such as `1 tool` or `2 tools`; `many` is the plural if it is not just an s away. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

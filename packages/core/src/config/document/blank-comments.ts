/**
 * Replaces the comments that other programs allow in JSON by spaces of the same length,
 * so that every position in a message is still the one people see in their editor.
 */
export function blankComments(text: string): string {
  // Strings come first in the pattern, so that a URL's `//` inside one is passed over.
  return text.replace(/"(?:[^"\\\n]|\\.)*"?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g, (match) =>
    match.startsWith('"') ? match : match.replace(/[^\r\n]/g, " "),
  );
}

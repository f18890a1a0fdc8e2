/**
 * Replaces the comments that other programs allow in JSON with spaces of the same length,
 * so that positions in messages are those people see in their editor.
 */
export function blankComments(text: string): string {
  // Strings come first in the pattern, so that the `//` of a URL inside one is not taken for a comment.
  return text.replace(/"(?:[^"\\\n]|\\.)*"?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g, (match) =>
    match.startsWith('"') ? match : match.replace(/[^\r\n]/g, " "),
  );
}

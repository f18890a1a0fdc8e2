export const OUT_OF_FILES =
  "this process has as many files and connections open as it may; close some servers or raise the limit";

/** Whether an error of the system means that, for this process or for the whole machine. */
export function isOutOfFiles(code: unknown): boolean {
  return code === "EMFILE" || code === "ENFILE";
}

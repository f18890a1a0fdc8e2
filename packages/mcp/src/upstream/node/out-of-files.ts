export const OUT_OF_FILES =
  "this process has as many files and connections open as it may; close some servers or raise the limit";

/** Whether a system error code means that this process, or the whole machine, has run out of file descriptors. */
export function isOutOfFiles(code: unknown): boolean {
  return code === "EMFILE" || code === "ENFILE";
}

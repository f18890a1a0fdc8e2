/** The files that make up a database. */
export function walOf(file: string): string {
  return `${file}-wal`;
}

export function shmOf(file: string): string {
  return `${file}-shm`;
}

/** Present while a repaired file takes the place of the damaged one; see repair/replace-file.ts. */
export function repairMarkOf(file: string): string {
  return `${file}.repair`;
}

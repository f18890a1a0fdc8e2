// breaks typescript(no-floating-promises)
async function save(): Promise<void> {}
export function close(): void {
  save();
}

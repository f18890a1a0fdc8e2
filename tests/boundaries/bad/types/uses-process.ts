// breaks TS2591
export const directory = process.cwd();

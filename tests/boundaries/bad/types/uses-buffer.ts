// breaks TS2591
export const bytes = Buffer.from("text");

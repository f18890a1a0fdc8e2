// breaks nothing
export const home = process.env.HOME;

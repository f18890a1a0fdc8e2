// breaks style/noProcessEnv
export const home = process.env.HOME;

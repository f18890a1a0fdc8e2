// breaks boundaries/environment
const { env } = process;
export const home = env.HOME;

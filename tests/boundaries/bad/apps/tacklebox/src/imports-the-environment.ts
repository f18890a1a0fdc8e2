// breaks boundaries/environment, style/noProcessEnv
import { env } from "node:process";
export const home = env.HOME;

// breaks boundaries/core-rooms
import type { Registration } from "../toolbox/registration.ts";
export type Borrowed = Registration;

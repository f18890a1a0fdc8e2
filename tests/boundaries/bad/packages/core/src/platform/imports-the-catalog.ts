// breaks boundaries/core-rooms
import { fingerprint } from "../catalog/fingerprint.ts";
export const borrowed = fingerprint;

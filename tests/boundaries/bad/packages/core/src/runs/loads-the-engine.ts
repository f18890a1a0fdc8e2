// breaks boundaries/core-rooms
export const borrowed = () => import("../create-engine.ts");

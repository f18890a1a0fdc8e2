// breaks boundaries/core-rooms
export const lost = 1;

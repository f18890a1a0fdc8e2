// breaks nothing
export const plain = 1;

// breaks suspicious/noExplicitAny
export const anything = (value: any) => value;

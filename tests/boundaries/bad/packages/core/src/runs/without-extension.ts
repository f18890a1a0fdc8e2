// breaks correctness/useImportExtensions
import { plain } from "./plain";
export const borrowed = plain;

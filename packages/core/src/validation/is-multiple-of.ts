/**
 * Exact for decimals as people write them: 0.3 is a multiple of 0.1, although floating-point division says otherwise.
 */
export function isMultipleOf(value: number, step: number): boolean {
  if (!Number.isFinite(value) || !Number.isFinite(step) || step <= 0) return false;
  if (Number.isSafeInteger(value) && Number.isSafeInteger(step)) return value % step === 0;
  const [digits, exponent] = toDecimal(value);
  const [stepDigits, stepExponent] = toDecimal(step);
  const lowest = Math.min(exponent, stepExponent);
  return (digits * 10n ** BigInt(exponent - lowest)) % (stepDigits * 10n ** BigInt(stepExponent - lowest)) === 0n;
}

/** Returns the digits as a whole number, and the power of ten to multiply them by. */
function toDecimal(value: number): [digits: bigint, exponent: number] {
  const [digits = "0", exponent = "0"] = Math.abs(value).toString().split("e");
  const [whole = "0", fraction = ""] = digits.split(".");
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}

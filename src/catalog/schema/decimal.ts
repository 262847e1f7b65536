/** Multiples as they are written: 19.99 is a multiple of 0.01, though neither is a binary fraction. */

/** Is the decimal that is written `value` a whole number of times the one that is written `step`? */
export function isDecimalMultiple(value: number, step: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(step)) return value % step === 0
  const one = decimal(value)
  const other = decimal(step)
  const shift = one.exponent - other.exponent
  return shift >= 0
    ? (one.digits * 10n ** BigInt(shift)) % other.digits === 0n
    : one.digits % (other.digits * 10n ** BigInt(-shift)) === 0n
}

/** `digits` times ten to the power of `exponent`. */
function decimal(value: number): { readonly digits: bigint; readonly exponent: number } {
  const [mantissa = "", exponent = "0"] = Math.abs(value).toString().split("e")
  const [whole = "", fraction = ""] = mantissa.split(".")
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
}

/** How many bytes a string takes in UTF-8, counted without encoding it. A lone surrogate counts 3, as its replacement would. */
export function byteLength(text: string): number {
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x80) continue
    bytes += code < 0x800 ? 1 : 2
    // Four bytes for the two units of a pair: the second adds nothing to its own 1, as the first has added 2.
    if (isHighSurrogate(code) && isLowSurrogate(text.charCodeAt(at + 1))) at++
  }
  return bytes
}

/** How many bytes a string takes as a token of canonical JSON: with its quotes and escapes. */
export function jsonByteLength(text: string): number {
  let bytes = text.length + 2
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code >= 0x80) {
      bytes += code < 0x800 ? 1 : 2
      // As in byteLength: the second half of a pair adds nothing to its own 1.
      if (isHighSurrogate(code) && isLowSurrogate(text.charCodeAt(at + 1))) at++
    } else if (code === 0x22 || code === 0x5c) bytes++
    else if (code < 0x20) bytes += hasShortEscape(code) ? 1 : 5
  }
  return bytes
}

/** \b \t \n \f \r */
const hasShortEscape = (code: number): boolean => code >= 0x08 && code <= 0x0d && code !== 0x0b

/** Whether a string takes at most `max` bytes in UTF-8. Short strings, nearly all of them, are answered without counting. */
export function fitsBytes(text: string, max: number): boolean {
  if (text.length > max) return false
  return text.length * 3 <= max || byteLength(text) <= max
}

export const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff
export const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff

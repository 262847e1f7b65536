/** Makes what a stranger wrote safe to print: nothing in it moves, hides or imitates. */

/** Controls, formatting (bidi, zero width), line separators and what Unicode has not assigned, written out. */
export const escapeHidden = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, writeOut)

/** All but printable ASCII, written out: a name must not look like another that it is not. */
export const escapeNonAscii = (text: string): string => text.replace(/[^ -~]/gu, writeOut)

/** As JSON writes a character out, `\u001b`; above U+FFFF in braces. */
export function writeOut(character: string): string {
  const point = character.codePointAt(0) ?? 0
  return point > 0xffff ? `\\u{${point.toString(16)}}` : `\\u${point.toString(16).padStart(4, "0")}`
}

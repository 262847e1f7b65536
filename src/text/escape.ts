/** Makes what a stranger wrote safe to print: nothing in it moves, hides or imitates. */

/**
 * For a class of a `v` pattern, the one list of all that does not show, or shows as something else: controls, formatting
 * (bidi, zero width, tags), fillers and variation selectors, line separators and spaces but the plain one, the empty
 * braille cell, and what Unicode has not assigned.
 */
export const hidden = "[\\p{C}\\p{Z}\\p{Default_Ignorable_Code_Point}\\u2800]--[ ]"

const hiddenOnes = new RegExp(`[${hidden}]`, "gv")

/** All of it written out. */
export const escapeHidden = (text: string): string => text.replace(hiddenOnes, writeOut)

/** The same JSON with nothing hidden in it. Such characters stand in its strings only, where each may be written out. */
export const escapeHiddenJson = (json: string): string =>
  json.replace(hiddenInJson, (character) =>
    Array.from({ length: character.length }, (_, at) => writeOut(String.fromCharCode(character.charCodeAt(at)))).join(
      "",
    ),
  )

/** Between the strings of a JSON text lines may end. */
const hiddenInJson = new RegExp(`[[${hidden}]--[\\n]]`, "gv")

/** All but printable ASCII, written out: a name must not look like another that it is not. */
export const escapeNonAscii = (text: string): string => text.replace(/[^ -~]/gu, writeOut)

/** As JSON writes a character out, `\u001b`; above U+FFFF in braces. */
export function writeOut(character: string): string {
  const point = character.codePointAt(0) ?? 0
  return point > 0xffff ? `\\u{${point.toString(16)}}` : `\\u${point.toString(16).padStart(4, "0")}`
}

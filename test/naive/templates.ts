/** Texts that other systems would fill in: code SEQ214. */
import type { Json } from "../../src/text/json.ts"
import { child, type Pointer } from "../../src/text/pointer.ts"
import { isArray, isObject } from "./shape.ts"
import type { Call } from "./steps.ts"
import type { Tell } from "./verdict.ts"

/** Every text in the arguments, but for data and what is said of a reference, other than what it compares with. */
function textsIn(value: Json, at: Pointer): readonly (readonly [text: string, at: Pointer])[] {
  if (typeof value === "string") return [[value, at]]
  if (isArray(value)) return value.flatMap((item, i) => textsIn(item, child(at, i)))
  if (!isObject(value) || Object.hasOwn(value, "$literal")) return []
  const fields = Object.entries(value).filter(([key]) => key === "where" || !Object.hasOwn(value, "$from"))
  return fields.flatMap(([key, inner]) => textsIn(inner, child(at, key)))
}

/** The brackets that systems put round a template, with what must follow a name: some need a way into the result. */
const brackets = [
  { open: "{{", close: "}}", bare: true },
  { open: "${", close: "}", bare: true },
  { open: "<", close: ">", bare: false },
] as const

export function checkTemplates({ written, at }: Call, names: readonly string[], tell: Tell): void {
  for (const [text, there] of textsIn(written ?? {}, child(at, "args")))
    if (isTemplate(text, names)) tell("SEQ214", there)
}

function isTemplate(text: string, names: readonly string[]): boolean {
  if (text.startsWith("$") && !/[{}<>]/.test(text) && leadsFrom(text.slice(1), names, false)) return true
  return brackets.some(({ open, close, bare }) =>
    text
      .split(open)
      .slice(1)
      .some((rest) => {
        const inside = rest.split(close)[0] as string
        if (inside === rest || /[{}<>]/.test(inside)) return false
        return leadsFrom((bare ? inside.trimStart() : inside).replace(/^\$/, ""), names, bare)
      }),
  )
}

/** `find`, or `find.id`, `find[0]`, `find/id`. */
function leadsFrom(text: string, names: readonly string[], bare: boolean): boolean {
  const path = text.startsWith("steps.") ? text.slice(6) : text
  return names.some((name) => {
    if (!path.startsWith(name)) return false
    const rest = path.slice(name.length)
    return (bare && rest.trim() === "") || /^(\.[^.]|\[[\w"']|\/\w)/.test(rest)
  })
}

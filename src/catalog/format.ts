/** The formats that a host declares, read once: what is done to them later changes no verdict. Code: SEQ801. */
import { diagnose, type Unplaced } from "../diagnostic/diagnostic.ts"
import { child, type Pointer, root } from "../text/pointer.ts"
import { type Format, type Formats, formats as fixed } from "./schema/front-end/formats.ts"
import { isAsynchronous, nameOfFunction } from "./schema/named.ts"
import { isPlainPattern } from "./schema/pattern-cost.ts"

/**
 * What a format of the host's own asks of a text: a regular expression, or `named("is-sku", "1", (text) => …)`. A function
 * answers at once, with true or false; one that throws or answers otherwise refuses the text.
 */
export type FormatSpec = RegExp | ((text: string) => boolean)

/** The fixed formats and the host's own. */
export function readFormats(declared: { readonly [name: string]: FormatSpec }, faults: Unplaced[]): Formats {
  const own = Object.entries(declared).flatMap(([name, spec]): readonly (readonly [string, Format])[] => {
    const format = fixed.has(name) ? taken : readFormat(spec)
    if (!("problem" in format)) return [[name, format]]
    faults.push(diagnose("SEQ801", at(name), { what: `the format \`${name}\``, ...format }))
    // Schemas that name it are asked about all else: that it is not right is told once.
    return [[name, {}]]
  })
  return new Map([...fixed, ...own])
}

const at = (name: string): Pointer => child(child(root, "formats"), name)

/** Schemas of others would come to mean something else by it. */
const taken: Fault = {
  problem: "is one of the standard's, which mean the same in every catalog",
  remedy: "Give it a name of its own.",
}

interface Fault {
  readonly problem: string
  readonly remedy: string
}

function readFormat(spec: unknown): Format | Fault {
  if (typeof spec === "function") return readFunction(spec as (text: string) => unknown)
  if (!isPlainPattern(spec)) {
    return { problem: "is neither a regular expression nor a function", remedy: "Write `/^…$/u` or `named(…)`." }
  }
  const { source, flags } = spec
  if (/[gy]/.test(flags)) {
    return { problem: "has the flag `g` or `y`, which remembers the text before", remedy: "Remove the flag." }
  }
  return { pattern: source, flags, own: `/${source}/${flags}` }
}

function readFunction(ask: (text: string) => unknown): Format | Fault {
  const own = nameOfFunction(ask)
  if (isAsynchronous(ask)) {
    return { problem: "waits, and compiling cannot wait", remedy: "Ask it in the handler, or with a tool of its own." }
  }
  if (own === undefined) {
    return { problem: "has no name and version", remedy: 'Name it: `named("is-sku", "1", (text) => …)`.' }
  }
  return {
    own,
    right: (text) => {
      const answer = ask(text)
      if (typeof answer !== "boolean") throw new TypeError(`\`${own}\` answered neither true nor false`)
      return answer
    },
  }
}

/** A text that could not be read, in words. Codes: SEQ001 … SEQ017. */
import type { TextFault } from "../text/fault.ts"
import { type Diagnostic, diagnose } from "./diagnostic.ts"

export function diagnoseText(fault: TextFault): Diagnostic {
  return { ...say(fault), range: fault.range }
}

function say(fault: TextFault): Diagnostic {
  const { at } = fault
  switch (fault.kind) {
    case "syntax":
      return diagnose("SEQ001", at, { expected: fault.expected, found: fault.found })
    case "cut-short":
      return diagnose("SEQ002", at, { expected: fault.expected })
    case "key-twice":
      return diagnose(
        "SEQ003",
        at,
        { key: fault.key },
        { related: [{ at, message: "first here", range: fault.first }] },
      )
    case "integer-too-large":
      return diagnose("SEQ004", at, { written: fault.written })
    case "number-overflow":
      return diagnose("SEQ005", at, { written: fault.written })
    case "number-underflow":
      return diagnose("SEQ006", at, { written: fault.written })
    case "ill-formed-unicode":
      return diagnose("SEQ007", at, { written: fault.written })
    case "hostile-key":
      return diagnose("SEQ008", at, { key: fault.key })
    case "byte-order-mark":
      return diagnose("SEQ009", at, {})
    case "too-large":
      return diagnose("SEQ010", at, { max: fault.max })
    case "too-deep":
      return diagnose("SEQ011", at, { max: fault.max })
    case "too-many-nodes":
      return diagnose("SEQ012", at, { max: fault.max })
    case "wrapped":
      return fault.how === "fence"
        ? diagnose("SEQ013", at, { how: "a code fence", option: ', or allow one fence with `unwrap: "fence"`' })
        : diagnose("SEQ013", at, { how: "prose", option: "" })
    case "not-utf8":
      return diagnose("SEQ014", at, {})
    case "trailing":
      return diagnose("SEQ015", at, { found: fault.found })
    case "string-too-long":
      return diagnose("SEQ016", at, { max: fault.max })
    case "nul-in-key":
      return diagnose("SEQ017", at, { key: shown(fault.key) })
  }
}

/** A key may be as long as a string may be. */
const shown = (key: string): string => (key.length > 80 ? `${key.slice(0, 80)}…` : key)

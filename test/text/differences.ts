/** The written list of what JSON.parse takes and our reader does not, each as a question to a good text, asked with means of its
 *  own: a list of tokens, not a parser. */

export type Difference = (typeof differences)[number]["kind"]

interface Tokens {
  readonly text: string
  readonly strings: readonly string[]
  readonly numbers: readonly string[]
  /** The keys of each object, decoded. */
  readonly objects: readonly (readonly string[])[]
}

export const differences = [
  { kind: "byte-order-mark", why: "RFC 8259 8.1: not to be added", holds: ({ text }) => text.startsWith("\ufeff") },
  {
    kind: "ill-formed-unicode",
    why: "distinct strings would have one UTF-8, so one digest",
    holds: ({ text, strings }) => !text.isWellFormed() || strings.some((string) => !string.isWellFormed()),
  },
  {
    kind: "key-twice",
    why: "two readers may take two different values",
    holds: ({ objects }) => objects.some((keys) => new Set(keys).size < keys.length),
  },
  {
    kind: "hostile-key",
    why: "reaches a prototype in a careless program",
    holds: ({ objects }) => objects.flat().some((key) => /^(__proto__|constructor|prototype)$/.test(key)),
  },
  {
    kind: "nul-in-key",
    why: "ends a string early, or fails, in many a store",
    holds: ({ objects }) => objects.flat().some((key) => key.includes("\0")),
  },
  {
    kind: "integer-too-large",
    why: "an id or an amount would lose digits",
    holds: ({ numbers }) =>
      numbers.some((written) => {
        const value = Number(written)
        if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return false
        const kept = /e/i.test(written) && String(value).includes("e") && digitsOf(written) === digitsOf(String(value))
        return !kept
      }),
  },
  {
    kind: "number-overflow",
    why: "would become infinite",
    holds: ({ numbers }) => numbers.some((written) => /e/i.test(written) && !Number.isFinite(Number(written))),
  },
  {
    kind: "number-underflow",
    why: "would become 0",
    holds: ({ numbers }) => numbers.some((written) => Number(written) === 0 && /^[^eE]*[1-9]/.test(written)),
  },
] as const satisfies readonly { kind: string; why: string; holds: (tokens: Tokens) => boolean }[]

/** Without sign, point, exponent, and zeros at the ends. */
const digitsOf = (written: string): string =>
  /^-?0*\.?0*([\d.]*?)[0.]*(?:e|$)/i.exec(written)?.[1]?.replace(".", "") ?? ""

/** Which of the differences a text has that JSON.parse takes. */
export const differencesOf = (text: string): Difference[] => {
  const tokens = tokensOf(text)
  return differences.filter(({ holds }) => holds(tokens)).map(({ kind }) => kind)
}

function tokensOf(text: string): Tokens {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[{}[\],:]/g) ?? []
  const objects: string[][] = []
  const open: string[][] = []
  tokens.forEach((token, index) => {
    if (token === "{") {
      const keys: string[] = []
      open.push(keys)
      objects.push(keys)
    } else if (token === "}") open.pop()
    else if (tokens[index + 1] === ":") open.at(-1)?.push(JSON.parse(token))
  })
  const strings = tokens.filter((token) => token.startsWith('"')).map((token): string => JSON.parse(token))
  return { text, strings, numbers: tokens.filter((token) => /^[-\d]/.test(token)), objects }
}

/** JSON texts as nobody would write them: every spelling of strings, numbers and space, keys twice and keys that harm, and the
 *  same texts spoilt by one edit. Most are good JSON; a good part of those our reader refuses all the same. */
import fc from "fast-check"

const space = fc.constantFrom("", "", "", " ", "\n", "\r\n", "\r", "\t  ")

const piece = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.constantFrom("a", "b", "id", " ", "é", "“", "😀", "/", "{", "}", ":", ",", "[", "0", "`"),
  },
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      "\\n",
      '\\"',
      "\\\\",
      "\\/",
      "\\u0061",
      "\\u00e9",
      "\\u0022",
      "\\ud83d\\ude00",
      "\\uD7FF",
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "\\u0000",
      "\\ud800",
      "\\udc00",
      "\ud83d",
      "\ude00",
      "\\ud83d\ude00",
      "\ufeff",
      "\u2028",
      "\\\\ud800",
    ),
  },
)
const string = fc.array(piece, { maxLength: 8 }).map((pieces) => `"${pieces.join("")}"`)
const key = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.constantFrom('"a"', '"b"', '"c"', '"id"', '"tool"', '"\\u0061"', '"10"', '"9"', '"toString"', '""'),
  },
  { weight: 20, arbitrary: string },
  {
    weight: 1,
    arbitrary: fc.constantFrom('"__proto__"', '"constructor"', '"prototype"', '"__\\u0070roto__"', '"a\\u0000"'),
  },
)

/** Numbers on both sides of every border that the reader knows. */
export const oddNumbers: readonly string[] = [
  ..."0 -0 -0.0 0e5 -0e-999 0.0e+1 1 1.0 1e0 10E-1 1.5 -12.25 3e2 123456789012345 1234567890123456 999999999999999".split(
    " ",
  ),
  ..."9007199254740991 -9007199254740991 9007199254740992 -9007199254740992 9007199254740993 9007199254740993.0".split(
    " ",
  ),
  ..."9007199254740990.5 9007199254740991.4 9007199254740993e0 9007199254740991e0 90071992547409.91e2 1e15 1e16 1e20".split(
    " ",
  ),
  ..."1e21 999999999999999999999 1000000000000000000000 1e22 1.5e300 1e308 1.8e308 1e309 -1e400 1e-5 5e-324 2e-324 1e-400".split(
    " ",
  ),
  ..."-1e-400 0.1 0.30000000000000004 0.1000000000000000055511151231257827 123e-10000000 2512292042121000001".split(
    " ",
  ),
  `1${"0".repeat(400)}`,
  `0.${"0".repeat(400)}1`,
  `0.${"0".repeat(400)}`,
]

const number = fc.oneof(
  { weight: 6, arbitrary: fc.integer().map(String) },
  { weight: 3, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }).map(String) },
  { weight: 1, arbitrary: fc.constantFrom(...oddNumbers) },
)

const enclose =
  (open: string, close: string) =>
  ([empty, parts]: [string, [string, string, string][]]): string =>
    `${open}${parts.length === 0 ? empty : parts.map((part) => part.join("")).join(",")}${close}`

/** Any JSON text, spelt oddly. */
export const spelling: fc.Arbitrary<string> = fc.letrec<{
  value: string
  array: string
  object: string
  member: string
}>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { weight: 1, arbitrary: fc.constantFrom("true", "false", "null") },
    { weight: 3, arbitrary: string },
    { weight: 3, arbitrary: number },
    { weight: 3, arbitrary: tie("array") },
    { weight: 5, arbitrary: tie("object") },
  ),
  array: fc.tuple(space, fc.array(fc.tuple(space, tie("value"), space), { maxLength: 4 })).map(enclose("[", "]")),
  member: fc
    .tuple(key, space, space, tie("value"))
    .map(([key, before, after, value]) => `${key}${before}:${after}${value}`),
  object: fc.tuple(space, fc.array(fc.tuple(space, tie("member"), space), { maxLength: 4 })).map(enclose("{", "}")),
})).value

const splinter = fc.constantFrom(
  ..."{}[],:\"'\\0-+.eEtn/`a \n\t\u0000\u00a0\ufeff".split(""),
  "//",
  "null",
  "```",
  '"a":1,',
)

/** One edit: a part taken out, put in, doubled, or all that follows it lost. */
const spoil = (
  text: string,
  at: number,
  size: number,
  splinter: string,
  edit: "cut" | "lose" | "insert" | "double",
): string => {
  const from = at % (text.length + 1)
  const part = text.slice(from, from + size)
  const rest = text.slice(from + size)
  if (edit === "cut") return text.slice(0, from)
  if (edit === "lose") return text.slice(0, from) + rest
  return text.slice(0, from) + (edit === "insert" ? splinter + part : part + part) + rest
}

export const spoilt: fc.Arbitrary<string> = fc
  .tuple(
    spelling,
    fc.nat(),
    fc.integer({ min: 1, max: 3 }),
    splinter,
    fc.constantFrom("cut", "lose", "insert", "double"),
  )
  .map((edit) => spoil(...edit))

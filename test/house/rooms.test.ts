/** The house keeps its rooms: imports go one way, pure rooms stay pure, no room is off the road. */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, sep } from "node:path"
import { expect, test } from "vitest"

/** In the order of the road. A room imports itself and rooms to its left. */
const road = [
  "text",
  "diagnostic",
  "catalog",
  "document",
  "plan",
  "check",
  "typed",
  "journal",
  "run",
  "explain",
  "planner",
  "cli",
]
/** No `effect`, no `node:`, no clock, no chance, no eval. */
const pure = road.slice(0, road.indexOf("journal"))
/** The exceptions, behind package.json's `imports`: SHA-256, and libraries too big to load before they are needed. */
const exempt = ["src/text/sha256-node.ts", "src/catalog/schema/engines-node.ts"]

const files = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .map((path) => {
    const file = join("src", path)
    const [room = ""] = path.split(sep)
    return { file, room: path.includes(sep) ? room : undefined, text: readFileSync(file, "utf8") }
  })

const importsOf = (text: string): readonly string[] =>
  [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"([^"]+)"/g)].map((found) => found[1] ?? "")

const roomOf = (file: string, path: string): string | undefined => {
  const parts = relative("src", join(dirname(file), path)).split(sep)
  return parts.length > 1 ? parts[0] : undefined
}

test("every folder of src is a room on the road", () => {
  expect(
    [...new Set(files.map(({ room }) => room))].filter((room) => room !== undefined && !road.includes(room)),
  ).toEqual([])
})

test("imports go one way: text < diagnostic < catalog < document < plan < check < typed < journal < run < explain < planner < cli", () => {
  const wrong = files.flatMap(({ file, room, text }) =>
    room === undefined
      ? []
      : importsOf(text)
          .filter((path) => path.startsWith("."))
          .map((path) => roomOf(file, path))
          .filter((to) => to !== undefined && road.indexOf(to) > road.indexOf(room))
          .map(
            (to) => `${file} imports from ${to}/, a room to its right: move what is shared to the left, or pass it in`,
          ),
  )
  expect(wrong).toEqual([])
})

test("the compile half is pure: no effect, no node:, no clock, no chance, no eval", () => {
  const banned =
    /from "(node:|effect)|\bDate\.now|\bnew Date\b|Math\.random|performance\.now|\bprocess\.|\beval\(|new Function|\bconsole\.|typebox\/compiler/
  const wrong = files
    .filter(({ file, room }) => (room === undefined ? true : pure.includes(room)) && !exempt.includes(file))
    .filter(({ text }) => banned.test(text.replace(/^\s*(?:\/\/|\/?\*).*$/gm, "")))
    .map(
      ({ file, text }) =>
        `${file} reaches outside (${banned.exec(text)?.[0]}): take it as an argument, or move the file to the run half`,
    )
  expect(wrong).toEqual([])
})

test("the pure rooms run no code but by import: zod only as types", () => {
  const wrong = files
    .filter(({ room }) => room === undefined || pure.includes(room))
    .filter(({ text }) => /import (?!type\b)[^"]*from "zod/.test(text))
    .map(({ file }) => `${file} imports zod itself: the host's own copy is walked, ours must not be loaded`)
  expect(wrong).toEqual([])
})

test("no shelves for things nobody understood yet", () => {
  const wrong = files
    .map(({ file }) => file)
    .filter((file) => /\/(utils?|helpers?|common|misc|types)(\.ts|\/)/.test(file))
  expect(wrong).toEqual([])
})

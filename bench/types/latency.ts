/** How long an editor waits inside a plan: TypeScript's own language server, asked after each keystroke. */
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { generateCatalog, generatePlan } from "./generate.ts"
import { type LanguageServer, withLanguageServer } from "./language-server.ts"
import { makeProject } from "./project.ts"

/** In milliseconds. */
export interface Latency {
  /** The first answer, when the file has just been opened. */
  readonly first: number
  /** The median of those after a keystroke. */
  readonly completion: number
  readonly hover: number
}

const rounds = 7

export async function measureLatency(tools: number, steps: number): Promise<Latency> {
  const folder = makeProject()
  const file = join(folder, "plan.ts")
  const text = generatePlan(steps, tools)
  try {
    writeFileSync(join(folder, "catalog.ts"), generateCatalog(tools))
    writeFileSync(file, text)
    return await withLanguageServer(folder, (server) => ask(server, file, text))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** In the middle of the plan: what may be referred to, and what the tool of that step is. */
async function ask(server: LanguageServer, file: string, text: string): Promise<Latency> {
  const lines = text.split("\n")
  const middle = lines.findIndex((line, at) => at > lines.length / 2 && line.includes('$from: "'))
  const offset = lines.slice(0, middle).join("\n").length + 1
  const line = lines[middle] ?? ""
  const source = offset + line.indexOf('$from: "') + '$from: "'.length
  const emptied = `${text.slice(0, source)}${text.slice(text.indexOf('"', source))}`
  server.open(file, text)
  const first = await time(() => server.hover(file, text, offset + line.indexOf("tool:")), '"')
  const [completions, hovers]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    const typed = `${emptied}// ${"x".repeat(round)}`
    server.change(file, typed)
    completions.push(await time(() => server.complete(file, typed, source), "s0"))
    const told = `${text}// ${"y".repeat(round)}`
    server.change(file, told)
    hovers.push(await time(() => server.hover(file, told, offset + line.indexOf("tool:")), "tool"))
  }
  return { first, completion: median(completions), hover: median(hovers) }
}

/** Of an answer that says nothing the time says nothing. */
async function time(ask: () => Promise<string | readonly string[]>, expected: string): Promise<number> {
  const start = performance.now()
  const answer = await ask()
  const spent = performance.now() - start
  if (!answer.includes(expected)) throw new Error(`${String(answer)} is without ${expected}`)
  return spent
}

const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0

/** The till's work. TILL_LOG names a file with a line for each effect. */
import { appendFileSync, readFileSync } from "node:fs"
import { toolbox } from "sequitur/run"
import catalog from "./catalog.ts"

function write(line: string): number {
  const file = process.env.TILL_LOG ?? ""
  appendFileSync(file, `${line}\n`)
  return readFileSync(file, "utf8").trim().split("\n").length
}

export default toolbox(catalog, {
  price: ({ id }) => ({ cents: id * 100, pin: "pin-4711-0815" }),
  note: ({ text }, { principal }) => ({ at: write(`${principal.tenant}/${principal.subject} notes ${text}`) }),
  give_back: ({ cents }) => {
    write(`gives ${cents} back`)
    return { given: cents }
  },
  slow: async () => {
    await new Promise((done) => setTimeout(done, 700))
    return null
  },
})

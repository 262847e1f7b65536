/** A process that lives one life after another, each a line on its input, and says what came of it on a line of its output. */
import { join } from "node:path"
import v8 from "node:v8"
import type { Life } from "./life.ts"
import { OutsideLine } from "./outside-line.ts"
import { Victim } from "./victim.ts"

async function main(): Promise<void> {
  const [folder = "", name = ""] = process.argv.slice(-2)
  const line = await OutsideLine.open(join(folder, "outside"))
  await line.ask("", { op: "hello", process: name })
  let kept = ""
  process.stdin.setEncoding("utf8").on("end", () => process.exit())
  for await (const chunk of process.stdin) {
    const told = `${kept}${chunk}`.split("\n")
    kept = told.pop() ?? ""
    for (const life of told)
      process.stdout.write(`${JSON.stringify(await new Victim(JSON.parse(life) as Life, folder, line, false).end())}\n`)
  }
}

v8.startupSnapshot.setDeserializeMainFunction(() => void main())

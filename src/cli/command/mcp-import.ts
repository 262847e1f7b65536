/** `sequitur mcp import`: a server's tools as a catalog in TypeScript, none of them allowed yet. */
import { existsSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { isServerName } from "../../planner/mcp/name.ts"
import { type Stub, writeStub } from "../../planner/mcp/stub.ts"
import { nameOf } from "../modules.ts"
import { lookForPlace, unusable } from "../read-file.ts"
import { complain, exit, print, printJson, UsageError } from "../terminal.ts"
import { comparePins, explainPins, loadPins } from "./mcp-diff.ts"
import { askServer, type PlaceOptions, unreachable } from "./mcp-place.ts"

export interface ImportOptions extends PlaceOptions {
  readonly name: string
  readonly out?: string
  readonly overwrite?: true
}

/** A file that is there is compared, not written over: by then it is the operator's. */
export async function importTools(options: ImportOptions): Promise<number> {
  const { name, out, overwrite = false, format } = options
  if (!isServerName(name)) throw new UsageError("--name must be a letter, then up to 63 letters, digits, `_` or `-`")
  if (out !== undefined) await lookForPlace(out)
  const before = out !== undefined && !overwrite && existsSync(out) ? await loadPins(out) : undefined
  const offer = await askServer(options)
  if (offer === undefined) return unreachable
  if (before !== undefined && out !== undefined) {
    const { refused, ...difference } = comparePins(before, offer.listed)
    const same = difference.drifted.length + difference.added.length === 0
    if (format === "json") printJson({ file: nameOf(out), written: false, ...difference, refused })
    else print(explainPins(difference, refused))
    if (!same) complain(`${nameOf(out)} is there already, and was not written over; with --overwrite it is made anew`)
    return same ? exit.fine : exit.refused
  }
  const stub = writeStub({ server: name, ...offer })
  if (out !== undefined) {
    await writeFile(out, stub.text, { flag: overwrite ? "w" : "wx" }).catch((error) => {
      throw unusable(out, error)
    })
  }
  if (format === "json") {
    const { taken, refused, text } = stub
    printJson({
      file: out === undefined ? null : nameOf(out),
      written: out !== undefined,
      taken,
      refused,
      ...(out === undefined ? { text } : {}),
    })
  } else if (out === undefined) print(stub.text.trimEnd())
  tellStub(stub, out)
  return stub.refused.length === 0 ? exit.fine : exit.refused
}

function tellStub({ taken, refused }: Stub, out: string | undefined): void {
  const where = out === undefined ? "" : ` in ${nameOf(out)}`
  complain(
    `${taken.length} tool${taken.length === 1 ? "" : "s"}${where}; nobody may use one until its \`authority\` says who`,
  )
  for (const { name, at, why } of refused) complain(`refused: ${name === "" ? `the tool at ${at}` : name}: ${why}`)
}

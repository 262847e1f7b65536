/** The key set of those who may approve, as a JSON file. It is read at each look, so that a revocation is heard while a worker works. */
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { type Approver, faultIn, findIn, type KeySet } from "../run/approval/key-set.ts"
import { nameOf } from "./modules.ts"
import { reasonOf, UsageError } from "./terminal.ts"

const fileName = "approvers.json"

/** The one that was named, or the one beside the catalog; undefined where there is none. */
export function approversFor(named: string | undefined, catalogPath: string): KeySet | undefined {
  const beside = join(dirname(catalogPath), fileName)
  const file = named ?? (existsSync(beside) ? beside : undefined)
  if (file === undefined) return undefined
  // What cannot be used is told before anything is done.
  read(file)
  return (kid) => findIn(read(file), kid)
}

function read(file: string): readonly Approver[] {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(file, "utf8"))
  } catch (error) {
    throw new UsageError(`the approvers in ${nameOf(file)} cannot be read: ${reasonOf(error)}`)
  }
  if (Array.isArray(value)) {
    const fault = faultIn(value)
    if (fault === undefined) return value
    throw new UsageError(`${nameOf(file)} is no list of approvers: ${fault}`)
  }
  throw new UsageError(
    `${nameOf(file)} must be a JSON list of approvers, [{…}]: \`sequitur keygen\` prints one of them`,
  )
}

/** Data that nobody here wrote, kept beside the checkout and never copied into it. `SEQUITUR_DATA` says where, if elsewhere. */
import { existsSync, readFileSync } from "node:fs"
import { resolve } from "node:path"

export const dataFolder: string = resolve(process.env.SEQUITUR_DATA ?? "../shared/data")

/** Tests of this data are skipped where it is missing: `describe.skipIf(!hasData)`. */
export const hasData: boolean = existsSync(dataFolder)

if (!hasData) {
  const absent = `no data at ${dataFolder}: set SEQUITUR_DATA to the folder that holds it`
  if (process.env.SEQUITUR_DATA_REQUIRED === "1") throw new Error(absent)
  console.log(`skipped, ${absent}`)
}

/** One file of the data, as text. */
export const readData = (path: string): string => readFileSync(resolve(dataFolder, path), "utf8")

/** The table on the page: what `npm run conformance -- --readme` writes, and a test reads. */
import { readFileSync, writeFileSync } from "node:fs"

const place = /(<!-- conformance -->\n```\n)([\s\S]*?)(\n```\n<!-- \/conformance -->)/

export const readmeTable = (): string => place.exec(readFileSync("README.md", "utf8"))?.[2] ?? ""

export const renewReadme = (table: string): void =>
  writeFileSync(
    "README.md",
    readFileSync("README.md", "utf8").replace(place, (_, head: string, __, tail: string) => `${head}${table}${tail}`),
  )

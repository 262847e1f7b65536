/** `sequitur codes`: every code there is. */
import { listCodes, viewCodes } from "../../explain/code.ts"
import { exit, type Format, lookOf, print, printJson } from "../terminal.ts"

export function listAllCodes({ format }: { readonly format: Format }): number {
  const codes = viewCodes()
  if (format === "json") printJson({ codes })
  else print(listCodes(codes, lookOf(process.stdout)))
  return exit.fine
}

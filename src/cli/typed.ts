/** Commands as they would be typed here and now: what is printed can be pasted. */
import { defaultStore } from "./terminal.ts"

/** Started by the script of this clone. npm starts it in the clone's folder, wherever it was typed. */
export const fromClone = (): boolean =>
  process.env.npm_lifecycle_event === "sequitur" && process.env.npm_package_name === "sequitur"

/** The command's name as it was typed: installed in a project, it is no command of the shell. */
function prefix(): string {
  if (fromClone()) return "npm run sequitur --"
  const local = process.env.npm_lifecycle_event === "npx" || /node_modules[\\/]\.bin[\\/]/.test(process.argv[1] ?? "")
  return local ? "npx sequitur" : "sequitur"
}

/** Options that a command was given beside its run, and that the next one about it needs as well. */
export interface Along {
  readonly tenant?: string | undefined
  readonly catalog?: string | undefined
  readonly tools?: string | undefined
  readonly approvers?: string | undefined
}

export function typed(command: string, args: readonly string[], store = defaultStore, along: Along = {}): string {
  const told = (takes[command] ?? []).flatMap((name) => {
    const value = along[name]
    return value === undefined ? [] : [`--${name}`, value]
  })
  const option = store === defaultStore ? [] : ["--store", store]
  return [prefix(), command, ...[...args, ...option, ...told].map(quoted)].join(" ")
}

const driving = ["tenant", "catalog", "tools", "approvers"] as const
const takes: Readonly<Record<string, readonly (keyof Along)[]>> = {
  approve: driving,
  deny: driving,
  resume: driving,
  cancel: driving,
  resolve: driving,
  log: ["tenant"],
  runs: ["tenant"],
}

/** How a decision is proved: where the run's catalog takes names as they are given, by nothing. */
export const signedBy = (unsigned: true | undefined): readonly string[] =>
  unsigned === true ? [] : ["--key", "<your key file>"]

const quoted = (word: string): string => (/^[\w./:@=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

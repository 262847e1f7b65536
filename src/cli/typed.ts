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

export function typed(command: string, args: readonly string[], store = defaultStore): string {
  const option = store === defaultStore ? [] : ["--store", quoted(store)]
  return [prefix(), command, ...args.map(quoted), ...option].join(" ")
}

const quoted = (word: string): string => (/^[\w./:@=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

/** `sequitur observe`: what the gates would have refused of the calls that a host made past them. */
import * as Effect from "effect/Effect"
import { explainObserved, observedIn } from "../../explain/observed.ts"
import { RunSecrets } from "../../journal/secrets.ts"
import { useStore } from "../store.ts"
import { exit, type Format, lookOf, print, printJson, secrets } from "../terminal.ts"

export interface ObserveOptions {
  readonly format: Format
  readonly tenant?: string
}

export async function showObserved(store: string, { format, tenant }: ObserveOptions): Promise<number> {
  const runs = await useStore(store, (journal) =>
    Effect.gen(function* () {
      const runs = yield* journal.list({ tenant })
      const sound = runs.filter(({ status }) => status !== "damaged")
      return yield* Effect.forEach(sound, ({ runId }) => journal.read(runId))
    }),
  )
  // A name that there is no tool of is a model's own words.
  const shown = runs.flatMap((entries) => {
    const ofRun = RunSecrets.of(entries, secrets)
    return entries.map((entry) => ofRun.redact(entry))
  })
  const tools = observedIn(shown)
  if (format === "json") printJson({ observed: tools })
  else if (tools.length === 0) print("no calls were observed")
  else print(explainObserved(tools, lookOf(process.stdout)))
  return exit.fine
}

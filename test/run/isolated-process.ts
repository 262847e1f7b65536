/** Calls handlers in processes of their own and then has nothing more to do: see `isolated.test.ts`. */
import * as Effect from "effect/Effect"
import { isolated } from "../../src/run/call/isolated/isolated.ts"
import { perform } from "../../src/run/call/perform.ts"
import { call, makeStation } from "./calling.ts"

const module = new URL("./isolated-handlers.ts", import.meta.url)
for (const name of process.argv.slice(2)) {
  const { worker } = await Effect.runPromise(makeStation({ put: { call: isolated(module, name) } }))
  const { kind } = await Effect.runPromise(perform(worker, call("put"), { ms: name === "blocks" ? 500 : 30_000 }))
  worker.watch.close()
  console.log(kind)
}
const doneMs = performance.now()
process.on("exit", () => console.log(performance.now() - doneMs < 3_000 ? "ended at once" : "ended late"))

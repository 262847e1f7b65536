/** A worker in a process of its own: `worker-process.ts <store> <outside>`. Each effect adds its key as a line to `outside`. */
import { appendFileSync } from "node:fs"
import { createWorker, toolbox } from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { countCalls, guarded, handlersOf } from "./desk.ts"

const [store = "", outside = ""] = process.argv.slice(2)

const effect =
  <Result>(result: Result) =>
  async (_: unknown, { idempotencyKey }: { readonly idempotencyKey: string | undefined }): Promise<Result> => {
    appendFileSync(outside, `${idempotencyKey}\n`)
    await new Promise((done) => setTimeout(done, 20))
    return result
  }

const handlers = handlersOf(countCalls(), {
  cancel: effect({ id: "w2", proratedCents: 2_450 }),
  refund: effect({ refundId: "r1" }),
  note: effect(null),
})

const worker = createWorker({
  store: sqlite(store),
  tools: toolbox(guarded, handlers as never),
  everyMs: 20,
  leaseMs: 2_000,
  onError: (error, runId) => console.log(`${runId}: ${error}`),
})
console.log("ready")
process.once("SIGTERM", () => worker.stop().then(() => console.log("stopped")))

/**
 * One life of a run, in a process that is killed at a point of it: begins or takes up the run `run` in a SQLite file, and says on
 * its last line what came of it and which points it has passed.
 */
import v8 from "node:v8"
import { Clock } from "effect/Clock"
import * as Layer from "effect/Layer"
import { compile } from "sequitur"
import {
  type CallContext,
  createRunner,
  notApplied,
  type Reconciliation,
  type Runner,
  type RunReport,
  reconciled,
  seededIds,
  toolbox,
} from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { type Ended, type Life, runId } from "./life.ts"
import { OutsideLine } from "./outside-line.ts"
import { beginLife, point, pointsPassed } from "./points.ts"
import { SharedClock } from "./shared-clock.ts"
import type { Answer, Request, Told } from "./world.ts"
import { catalog, documentOf } from "./zoo.ts"

class Victim {
  readonly #life: Life
  readonly #clock: SharedClock
  readonly #line: OutsideLine

  constructor(life: Life, line: OutsideLine) {
    this.#life = life
    this.#line = line
    this.#clock = new SharedClock(life.clock)
    beginLife(life.fate, () => this.#clock.currentTimeMillisUnsafe())
  }

  async live(): Promise<Omit<Ended, "points">> {
    const { way, word, ground } = this.#life
    const runner = this.#runner()
    try {
      if (word !== undefined) {
        const said = { by: "ann", reason: "looked it up" }
        const { stepId, did } = word
        await runner.resolve(runId, stepId, {
          ...said,
          ...(did === undefined ? { notApplied: true } : { applied: { did } }),
        })
      }
      const { status } =
        way === "run" ? await this.#begin(runner) : await runner.resume(runId, { takeOver: way === "take-over" })
      this.#line.say(ground, { op: "ended", status })
      this.#mark(`reported ${status}`)
      return { ended: status }
    } catch (error) {
      const { _tag = "", message } = error as { readonly _tag?: string; readonly message: string }
      return { ended: _tag, message }
    }
  }

  #begin(runner: Runner): Promise<RunReport> {
    const compiled = compile(catalog, documentOf(this.#life.shape))
    if (!compiled.ok) throw new Error(JSON.stringify(compiled.diagnostics))
    const principal = { tenant: "zoo", subject: "keeper" }
    return runner.run(compiled.plan, { principal, sessionId: "session", taskId: "task", runId })
  }

  #runner(): Runner {
    const { store, seed, ground } = this.#life
    return createRunner({
      catalog,
      tools: toolbox(catalog, this.#handlers() as never),
      store: Layer.merge(sqlite(store), Layer.succeed(Clock)(this.#clock)),
      ids: seededIds(seed),
      onEvent: ({ seq, event }) => {
        this.#mark("before acknowledging")
        this.#line.say(ground, { op: "acknowledge", seq, text: JSON.stringify(event) })
        this.#mark("acknowledged")
      },
    })
  }

  #handlers(): { readonly [tool: string]: unknown } {
    return Object.fromEntries(
      [...catalog.tools.values()].map(({ name, reconcile }) => {
        const call = (args: unknown, context: CallContext) => this.#call(name, args, context)
        if (name === "refuse") return [name, { call: () => this.#refuse(), reconcile: reconciled.barred }]
        if (reconcile === undefined) return [name, call]
        return [name, { call, reconcile: (key: string, args: unknown) => this.#tell(name, args, key) }]
      }),
    )
  }

  #refuse(): never {
    this.#mark("before refuse")
    throw notApplied("it cannot be done")
  }

  async #call(tool: string, args: unknown, { idempotencyKey }: CallContext): Promise<{ did: string }> {
    const request = requestOf(tool, args, idempotencyKey)
    this.#mark(`before ${tool}`)
    const sent = this.#ask<Answer>("ask", request)
    this.#mark(`sent ${tool}`)
    let answer = await sent
    while (answer.kind === "pending") {
      await this.#clock.until(answer.untilMs)
      answer = await this.#ask<Answer>("collect", request)
    }
    this.#mark(`answered ${tool}`)
    if (answer.kind === "refused") throw notApplied("it was turned away")
    return { did: answer.did }
  }

  async #tell(tool: string, args: unknown, key: string): Promise<Reconciliation> {
    this.#mark(`before asking of ${tool}`)
    const told = await this.#ask<Told>("tell", requestOf(tool, args, key))
    this.#mark(`told of ${tool}`)
    switch (told.kind) {
      case "applied":
        return reconciled.applied({ did: told.did })
      case "not-applied":
        return reconciled.notApplied()
      case "barred":
        return reconciled.barred()
      case "unknown":
        return reconciled.unknown()
    }
  }

  #ask<Value>(op: "ask" | "collect" | "tell", request: Request): Promise<Value> {
    const nowMs = this.#clock.currentTimeMillisUnsafe()
    return this.#clock.during(this.#line.ask<Value>(this.#life.ground, { op, request, nowMs }))
  }

  #mark(name: string): void {
    this.#clock.sign()
    point(name)
  }
}

const requestOf = (tool: string, args: unknown, key: string | undefined): Request => ({
  tool,
  item: (args as { readonly item: string }).item,
  key: key ?? "",
})

async function main(): Promise<void> {
  const life = JSON.parse(process.argv.at(-1) ?? "") as Life
  const line = await OutsideLine.open(life.socket)
  await line.ask(life.ground, { op: "hello", life: life.id })
  const ended: Ended = { ...(await new Victim(life, line).live()), points: pointsPassed() }
  process.stdout.write(`${JSON.stringify(ended)}\n`, () => process.exit())
}

v8.startupSnapshot.setDeserializeMainFunction(() => void main())

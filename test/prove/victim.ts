/**
 * One life of a run: begins or takes up the run `run` in a SQLite file, says what came of it and which points it has passed, and
 * is ended at one of them where that is its fate. Nothing of a life that is over reaches the files, the outside or another life.
 */
import { renameSync } from "node:fs"
import { join } from "node:path"
import { Clock } from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { compile } from "sequitur"
import {
  type CallContext,
  createRunner,
  Journal,
  type JournalService,
  notApplied,
  type Reconciliation,
  type Runner,
  type RunReport,
  reconciled,
  seededIds,
  toolbox,
} from "sequitur/run"
import { sqlite } from "sequitur/sqlite"
import { clockIn, copyFiles, storeIn } from "./files.ts"
import { type Ended, keptIn, type Life, runId, stateAt } from "./life.ts"
import { beginLife, closeAll } from "./mortal-sqlite.ts"
import type { Outside } from "./outside-line.ts"
import { isSame, Points } from "./points.ts"
import { SharedClock } from "./shared-clock.ts"
import type { Answer, Request, Told } from "./world.ts"
import { catalog, documentOf } from "./zoo.ts"

export class Victim {
  readonly #life: Life
  readonly #folder: string
  readonly #store: string
  readonly #clock: SharedClock
  readonly #line: Outside
  readonly #points: Points
  #journal: JournalService | undefined
  #runner: Runner | undefined
  /** Why what was to be kept at a point was not. */
  #unkept: unknown

  /** In a folder of states; alone where no other process can be in the same one meanwhile. */
  constructor(life: Life, folder: string, line: Outside, alone: boolean) {
    this.#life = life
    this.#folder = folder
    this.#store = storeIn(join(folder, life.state))
    this.#line = line
    this.#clock = new SharedClock(clockIn(join(folder, life.state)), alone)
    this.#points = new Points(
      life.fate,
      () => this.#clock.currentTimeMillisUnsafe(),
      (at) => this.#keep(at),
      () => line.flush(),
    )
    beginLife(this.#store, this.#points)
  }

  /** To its end, and with everything that it has left open closed. */
  async end(): Promise<Ended> {
    const ended = await this.#live()
    this.#points.end()
    this.#clock.stop()
    const kept = this.#journal === undefined ? {} : { kept: await keptIn(this.#journal) }
    closeAll(this.#store)
    // What else it has left open. That its file is closed already is no news.
    await this.#runner?.close({ graceMs: 0 }).catch(() => {})
    if (this.#unkept !== undefined) throw this.#unkept
    // What it has said outside has come there before this is answered.
    await this.#line.ask(this.#life.state, { op: "heard" })
    return { ...ended, ...kept, points: this.#points.passed }
  }

  async #live(): Promise<Omit<Ended, "points" | "kept">> {
    const { way, word, state } = this.#life
    const runner = this.#makeRunner()
    this.#runner = runner
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
      this.#line.say(state, { op: "ended", status })
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

  #makeRunner(): Runner {
    const { seed, state } = this.#life
    const seen = Layer.effect(
      Journal,
      Effect.map(Journal, (journal) => {
        this.#journal = journal
        return journal
      }),
    ).pipe(Layer.provide(sqlite(this.#store)))
    return createRunner({
      catalog,
      tools: toolbox(catalog, this.#handlers() as never),
      store: Layer.merge(seen, Layer.succeed(Clock)(this.#clock)),
      ids: seededIds(seed),
      onEvent: ({ seq, event }) => {
        if (this.#points.over) return
        this.#mark("before acknowledging")
        this.#line.say(state, { op: "acknowledge", seq, text: JSON.stringify(event) })
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
    if (this.#points.over) return new Promise(() => {})
    const nowMs = this.#clock.currentTimeMillisUnsafe()
    return this.#clock.during(this.#line.ask<Value>(this.#life.state, { op, request, nowMs }))
  }

  #mark(name: string): void {
    this.#clock.sign()
    this.#points.pass(name)
  }

  /**
   * What a crash at this point leaves behind: the files as they are, and outside everything that was said before. Where that
   * fails the run is not to see it: it would take it for trouble of its own, and go on.
   */
  #keep(at: number): void {
    const { state, keep } = this.#life
    if (keep === undefined || this.#unkept !== undefined) return
    const [before, to] = [stateAt(keep.as, at - 1), stateAt(keep.as, at)]
    try {
      if (keep.each || !isSame(this.#points.passed, at)) copyFiles(join(this.#folder, state), join(this.#folder, to))
      else {
        renameSync(join(this.#folder, before), join(this.#folder, to))
        this.#line.say(before, { op: "drop" })
      }
    } catch (error) {
      this.#unkept = error
      return
    }
    this.#line.say(to, { op: "copy", from: state })
  }
}

const requestOf = (tool: string, args: unknown, key: string | undefined): Request => ({
  tool,
  item: (args as { readonly item: string }).item,
  key: key ?? "",
})

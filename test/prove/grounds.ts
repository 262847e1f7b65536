/** Grounds of the outside world, by name; each is copied from another, so that a crash can be gone on from in more than one way. */
import { ask, bareGround, collect, copyOf, type Ground, passTo, type Request, settle, tell } from "./world.ts"

/** What a line asks for. What has a number is answered. */
export type Line = { readonly n?: number; readonly ground: string } & (
  | { readonly op: "hello" | "gone"; readonly process: string }
  | { readonly op: "heard" | "look" | "drop" }
  | { readonly op: "ask" | "collect" | "tell"; readonly nowMs: number; readonly request: Request }
  | { readonly op: "acknowledge"; readonly seq: number; readonly text: string }
  | { readonly op: "ended"; readonly status: string }
  | { readonly op: "copy"; readonly from: string }
  | { readonly op: "put"; readonly as: Ground }
)

export class Grounds {
  readonly #grounds = new Map<string, Ground>()

  serve(line: Line): unknown {
    switch (line.op) {
      case "ask":
        return ask(this.at(line.ground), line.request, line.nowMs)
      case "collect":
        return collect(this.at(line.ground), line.request, line.nowMs)
      case "tell":
        return tell(this.at(line.ground), line.request, line.nowMs)
      case "acknowledge":
        this.at(line.ground).acknowledged[line.seq] = line.text
        return undefined
      case "ended":
        this.at(line.ground).ended = line.status
        return undefined
      case "copy":
        return void this.copy(line.from, line.ground)
      case "put":
        return void this.put(line.ground, line.as)
      case "look":
        return this.at(line.ground)
      case "drop":
        return this.drop(line.ground)
      case "hello":
      case "gone":
      case "heard":
        return undefined
    }
  }

  at(name: string): Ground {
    const ground = this.#grounds.get(name)
    if (ground === undefined) throw new Error(`there is no ground ${name}`)
    return ground
  }

  /** Where nothing has happened yet. */
  add(name: string): void {
    this.put(name, bareGround())
  }

  put(name: string, ground: Ground): void {
    this.#grounds.set(name, ground)
  }

  copy(from: string, to: string): void {
    this.put(to, copyOf(this.at(from)))
  }

  drop(name: string): void {
    this.#grounds.delete(name)
  }

  /** What was acknowledged in one of two equal states was acknowledged. */
  merge(into: string, from: string): void {
    const [ground, other] = [this.at(into), this.at(from)]
    Object.assign(ground.acknowledged, other.acknowledged)
    ground.ended ??= other.ended
  }

  /** As it is once everything that was accepted has happened. */
  settled(name: string): Ground {
    const ground = copyOf(this.at(name))
    passTo(ground, ground.nowMs)
    settle(ground)
    return ground
  }
}

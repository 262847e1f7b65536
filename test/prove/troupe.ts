/**
 * Processes that wait for a life to live. Who is to be killed, or stopped, is one that was just started; who lives to the end
 * lives the next life too, so that no time goes into starting, and into code that is not compiled yet.
 */
import { type ChildProcess, spawn } from "node:child_process"
import type { Ended, Life } from "./life.ts"

/** No life takes so long, on any machine. */
const stuckMs = 120_000

/** Memory that a life leaves behind is not looked for. */
const livesMax = 500

/** A process that lives. */
export interface Living {
  readonly process: ChildProcess
  /** Undefined where it was killed, as it should be. */
  readonly ended: Promise<Ended | undefined>
}

/** What a process said at the end of a life; or, where that was its own end, what ended it. */
type Said = { readonly text: string } | { readonly signal: string | null; readonly complaint: string }

class Player {
  readonly name: string
  readonly process: ChildProcess
  lives = 0
  #said = ""
  #complaint = ""
  #tell: (said: Said) => void = () => {}
  #dead: Said | undefined

  constructor(name: string, flags: readonly string[]) {
    this.name = name
    this.process = spawn(process.execPath, [...flags, name], { stdio: ["pipe", "pipe", "pipe"] })
    this.process.stderr?.setEncoding("utf8").on("data", (text) => (this.#complaint += text))
    this.process.stdout?.setEncoding("utf8").on("data", (text) => this.#hear(text))
    // Whoever was killed does not read what it is told.
    this.process.stdin?.on("error", () => {})
    this.process.once("close", (_, signal) => {
      this.#dead = { signal, complaint: this.#complaint }
      this.#tell(this.#dead)
    })
  }

  live(life: Life): Promise<Said> {
    this.lives += 1
    return new Promise((told) => {
      const stuck = setTimeout(() => this.process.kill("SIGABRT"), stuckMs)
      this.#tell = (said) => {
        clearTimeout(stuck)
        told(said)
      }
      if (this.#dead === undefined) this.process.stdin?.write(`${JSON.stringify(life)}\n`)
      else this.#tell(this.#dead)
    })
  }

  leave(): void {
    this.process.stdin?.end()
  }

  #hear(text: string): void {
    this.#said += text
    if (!this.#said.endsWith("\n")) return
    const said = this.#said
    this.#said = ""
    this.#tell({ text: said })
  }
}

export class Troupe {
  readonly #flags: readonly string[]
  readonly #spare: number
  /** Resolves when everything that the process of this name has said outside has come there. */
  readonly #gone: (name: string) => Promise<unknown>
  readonly #fresh: Player[] = []
  readonly #warm: Player[] = []
  started = 0

  /** Keeps so many ready that have not lived yet, so that nobody waits for their start. */
  constructor(flags: readonly string[], spare: number, gone: (name: string) => Promise<unknown>) {
    this.#flags = flags
    this.#spare = spare
    this.#gone = gone
  }

  play(life: Life): Living {
    const fated = life.fate !== undefined
    const player = (fated ? undefined : this.#warm.pop()) ?? this.#fresh.shift() ?? this.#start()
    const ended = this.#play(player, life)
    while (fated && this.#fresh.length < this.#spare) this.#fresh.push(this.#start())
    return { process: player.process, ended }
  }

  leave(): void {
    for (const player of [...this.#fresh, ...this.#warm]) player.leave()
  }

  #start(): Player {
    this.started += 1
    return new Player(`player-${this.started}`, this.#flags)
  }

  async #play(player: Player, life: Life): Promise<Ended | undefined> {
    const said = await player.live(life)
    if ("text" in said) {
      if (player.lives < livesMax) this.#warm.push(player)
      else player.leave()
      return JSON.parse(said.text) as Ended
    }
    await this.#gone(player.name)
    if (said.signal === "SIGKILL" && life.fate?.signal === "SIGKILL") return undefined
    return { ended: said.signal ?? "broken", message: said.complaint.slice(-2_000), points: [] }
  }
}

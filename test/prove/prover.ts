/**
 * A process that explores the plans that it is sent, one after another. Lives that nobody ends are lived in it; for those who are
 * killed there are processes of their own.
 */
import { registerHooks } from "node:module"
import type { Bounds, Explored } from "./explore.ts"
import type { Shape } from "./zoo.ts"

export interface Task {
  readonly shape: Shape
  readonly bounds: Bounds
}

/** What came of a plan, and how many lives it took. */
export interface Done {
  readonly explored: Explored
  readonly lives: number
}

const mortal = new URL("mortal-sqlite.ts", import.meta.url).href
registerHooks({ resolve: (name, context, next) => next(name === "node:sqlite" ? mortal : name, context) })

// Whatever imports `node:sqlite` comes after that.
const [{ explore }, { Stage }, { Victim }] = await Promise.all([
  import("./explore.ts"),
  import("./stage.ts"),
  import("./victim.ts"),
])

const stage = await Stage.set(1, process.argv.slice(2), (life, folder, outside) =>
  new Victim(life, folder, outside, true).end(),
)
process.on("message", async ({ shape, bounds }: Task) => {
  const before = stage.lives
  const explored = await explore(stage, shape, bounds)
  const done: Done = { explored, lives: stage.lives - before }
  process.send?.(done)
})
const leave = (): never => {
  stage.strike()
  process.exit()
}
process.on("disconnect", leave)
// There was no plan left for it before it stood here.
if (!process.connected) leave()

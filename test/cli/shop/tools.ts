/** The shop's work: each call is a line in the file that SHOP_LOG names, and SHOP_FAULT makes one go wrong. */
import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { notApplied, toolbox } from "sequitur/run"
import catalog from "./catalog.ts"

const log = (line: string): void => {
  if (process.env.SHOP_LOG !== undefined) appendFileSync(process.env.SHOP_LOG, `${line}\n`)
}

/** As payment services do: the same key again is the same refund. */
function isNew(key: string | undefined): boolean {
  const keys = `${process.env.SHOP_LOG}.keys`
  if (process.env.SHOP_LOG === undefined || key === undefined) return true
  if (existsSync(keys) && readFileSync(keys, "utf8").includes(key)) return false
  appendFileSync(keys, `${key}\n`)
  return true
}

// Kept open, as a pool of connections would be: the command ends all the same.
setInterval(() => {}, 60_000)

export default () =>
  toolbox(catalog, {
    find_order: async ({ orderId }) => {
      log(`find ${orderId}`)
      if (process.env.SHOP_FAULT === "answers-late") await new Promise((done) => setTimeout(done, 1_500))
      if (process.env.SHOP_FAULT === "slow") await new Promise(() => {})
      if (process.env.SHOP_FAULT === "stray") {
        setTimeout(() => {
          throw new Error("nobody waits\nfor this")
        })
        await new Promise(() => {})
      }
      if (process.env.SHOP_FAULT === "read") throw new Error("the shop is closed")
      return { orderId, cents: 2_450 }
    },
    refund: ({ orderId, cents }, { idempotencyKey }) => {
      if (process.env.SHOP_FAULT === "not-applied") throw notApplied("the card is blocked")
      if (process.env.SHOP_FAULT === "stuck") return new Promise(() => {})
      if (isNew(idempotencyKey)) log(`refund ${orderId} ${cents}`)
      if (process.env.SHOP_FAULT === "effect") throw new Error("the line went dead")
      if (process.env.SHOP_FAULT === "crash") process.kill(process.pid, "SIGKILL")
      return { refundId: `r_${orderId}` }
    },
    hold: ({ orderId }) => log(`hold ${orderId}`) ?? null,
    let_go: ({ orderId }) => {
      log(`let go ${orderId}`)
      if (process.env.SHOP_FAULT === "undo") throw new Error("the line went dead")
      return null
    },
  })

/** The shop's policy, asked naively of a written plan: what `policy.ts` declares, told step by step by hand. */
import { changesOfItems, isChange } from "../tau-bench/policy.ts"
import { argumentAt, stepAt, type Written, type WrittenStep } from "./written.ts"

const next: { readonly [state: string]: string } = { ANONYMOUS: "AUTHENTICATED", AUTHENTICATED: "CHANGING" }
const states = ["ANONYMOUS", "AUTHENTICATED", "CHANGING"]
const anywhere = ["find_user_id_by_email", "find_user_id_by_name_zip", "calculate", "think"]
const changesItems = ["exchange_delivered_order_items", "modify_pending_order_items"]

/** Of plans with right arguments and no references. */
export function policyFaults({ steps }: Written): readonly string[] {
  const faults: string[] = []
  const done = new Set<string>()
  let state: string | undefined = "ANONYMOUS"
  let changes = 0
  let told = false
  steps.forEach((step, index) => {
    const { tool = "", transition, args } = step
    if (transition !== undefined) {
      if (!states.includes(transition)) faults.push(`SEQ303 ${stepAt(index)}/transition`)
      else if (state !== undefined && next[state] !== transition) faults.push(`SEQ302 ${stepAt(index)}/transition`)
      state = states.includes(transition) ? transition : undefined
      return
    }
    const before = faults.length
    faults.push(...unread(step, index, steps))
    const needed = anywhere.includes(tool) ? states : isChange(tool) ? ["CHANGING"] : ["AUTHENTICATED", "CHANGING"]
    if (state !== undefined && !needed.includes(state)) faults.push(`SEQ301 ${stepAt(index)}/tool`)
    // A step at fault counts for nothing further.
    if (faults.length > before) return
    if (changesItems.includes(tool)) changes++
    if (changes > changesOfItems && !told) {
      told = true
      faults.push(`SEQ402 ${stepAt(index)}/tool`)
      return
    }
    if (!isChange(tool) && tool !== "transfer_to_human_agents") return
    const effect = JSON.stringify([tool, Object.entries(args ?? {}).sort()])
    if (done.has(effect)) faults.push(`SEQ701 ${stepAt(index)}/tool`)
    done.add(effect)
  })
  return faults
}

/** What changes an order has read that order first. */
function unread({ tool = "", args }: WrittenStep, index: number, steps: readonly WrittenStep[]): readonly string[] {
  if (!isChange(tool) || tool === "modify_user_address") return []
  const readings = steps.slice(0, index).filter((step) => step.tool === "get_order_details")
  if (readings.length === 0) return [`SEQ208 ${stepAt(index)}/tool`]
  return readings.some((reading) => reading.args?.order_id === args?.order_id)
    ? []
    : [`SEQ209 ${argumentAt(index, "order_id")}`]
}

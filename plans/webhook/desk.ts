/** The host: runs plans, posts what waits for a person to a webhook, and takes the signed answer at an HTTP door. */
import { createServer } from "node:http"
import { type Approver, createRunner, type RunnerOptions, toolbox } from "sequitur/run"
import catalog from "./catalog.ts"
import type { Posted } from "./chat.ts"
import { listen, readBody } from "./http.ts"

export interface DeskOptions {
  readonly store: RunnerOptions["store"]
  readonly webhook: string
  readonly approvers: readonly Approver[]
  readonly print: (line: string) => void
}

export async function openDesk({ store, webhook, approvers, print }: DeskOptions) {
  const tools = toolbox(catalog, {
    find_order: () => ({ paidCents: 4_200, email: "mia@example.org" }),
    refund: ({ cents, tell }) => {
      print(`refunded ${cents} cents, and told ${tell}`)
      return { refundId: "R-1" }
    },
  })
  const door = createServer(async (request, response) => {
    const token = request.method === "POST" && request.url === "/answers" ? await readBody(request) : undefined
    if (token === undefined) return response.writeHead(404).end()
    try {
      // What is wrong with it is told by its own code, and uses nothing up.
      const { runId } = await runner.approvals.answer(token, { tenant: "acme" })
      const { status } = await runner.resume(runId, { tenant: "acme" })
      response.writeHead(200).end(status)
    } catch (error) {
      response.writeHead(403).end(sayCode(error))
    }
  })
  const answerTo = `${await listen(door)}/answers`
  const runner = createRunner({
    catalog,
    tools,
    store,
    approvers,
    // Secrets are hidden in what is told here. Whatever goes wrong, it is told of again.
    onRequested: async ({ subject, request, bound }, { signal }) => {
      const asked = request.follows.map(({ tool, args }) => `${tool} ${JSON.stringify(args)}`).join(", ")
      const posted: Posted = { text: `${subject} asks to: ${asked}`, bound, answerTo }
      const { ok, status } = await fetch(webhook, { method: "POST", body: JSON.stringify(posted), signal })
      if (ok) return
      print(`the chat answered ${status}: it is told again`)
      throw new Error(`the chat answered ${status}`)
    },
  })
  const close = async (): Promise<void> => {
    door.close()
    await runner.close()
  }
  return { runner, answerTo, close }
}

const sayCode = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? `refused: ${error.code}` : "refused"

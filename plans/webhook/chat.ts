/**
 * Stands for a chat with a bot in it: takes what is posted to its webhook, shows it to Eve, and posts her signed answer to the door it
 * was told of. A real one knows its people by their sign-in, and keeps each one's key where nobody else gets at it.
 */
import { createServer } from "node:http"
import { issueApproval, type KeyPair, type WaitingApproval } from "sequitur/run"
import { listen, readBody } from "./http.ts"

export interface Posted {
  readonly text: string
  readonly bound: WaitingApproval["bound"]
  readonly answerTo: string
}

/** `print` is the screen that Eve looks at. The first post is lost, as it happens. */
export async function openChat(eve: KeyPair, print: (line: string) => void) {
  const seen = new Set<string>()
  const answered = Promise.withResolvers<void>()
  let posts = 0
  let again = async (): Promise<void> => {}
  const server = createServer(async (request, response) => {
    posts++
    const body = await readBody(request)
    response.writeHead(posts === 1 ? 503 : 204).end()
    if (posts === 1 || body === undefined) return
    const { text, bound, answerTo } = JSON.parse(body) as Posted
    // It may be posted more than once: Eve is asked once.
    if (seen.has(bound.request)) return
    seen.add(bound.request)
    print(text)
    const said = { bound, decision: "approved", reason: "the parcel was lost" } as const
    const token = await issueApproval({ ...said, kid: eve.kid, key: eve.privateKey })
    const post = async (what: string, body: string): Promise<void> => {
      const answer = await fetch(answerTo, { method: "POST", body })
      print(`${what}: ${answer.status} ${await answer.text()}`)
    }
    again = () => post("the same once more", token)
    await post("an answer that Eve did not sign", `${token.slice(0, -8)}AAAAAAAA`)
    await post("Eve's answer", token)
    answered.resolve()
  })
  const url = `${await listen(server)}/webhook`
  return { url, answered: answered.promise, again: () => again(), close: () => server.close() }
}

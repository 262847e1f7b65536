/** What answers holds the secrets in every way that there is, and so do the errors. VAULT_FAULT makes a call go wrong. */
import { notApplied, toolbox } from "sequitur/run"
import { everyWay, token } from "../canary.ts"
import catalog from "./catalog.ts"

const fault = (): string | undefined => process.env.VAULT_FAULT

/** Each way in an error of its own would be many runs: they take turns by the attempt, and all of them are short. */
const said = (secret: string): string => everyWay(secret).join(" ")

export default toolbox(catalog, {
  login: ({ apiKey }) => {
    if (fault() === "login")
      throw new Error(`401 of https://vault.test/?key=${encodeURIComponent(apiKey)}: ${said(apiKey)}`)
    if (fault() === "shape") return { token, url: said(apiKey), headers: { "x-key": apiKey }, note: 7 as never }
    const headers = Object.fromEntries(everyWay(apiKey).map((way, index) => [`x-${index}`, way]))
    return { token, url: `https://vault.test/${encodeURIComponent(token)}`, headers, note: everyWay(token).join("\n") }
  },
  pay: ({ session }) => {
    if (fault() === "pay") throw new Error(`502 ${said(session)}`)
    return { receipt: `of ${said(session)}` }
  },
  unpay: ({ session }) => {
    if (fault() === "unpay") throw new Error(`503 ${said(session)}`)
    return { took: session }
  },
  tell: ({ text }) => {
    if (fault() === "tell" || fault() === "unpay") throw notApplied(`no such mailbox: ${said(text)}`)
    return null
  },
})

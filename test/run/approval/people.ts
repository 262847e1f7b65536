/** Those who approve in the tests, and what they sign. */
import { type Approver, generateKeys, issueApproval, type PlanRequest, type WaitingApproval } from "sequitur/run"

export const people = Object.fromEntries(["eve", "bob", "ada"].map((name) => [name, generateKeys()]))

export const approver = (name: string, more: Partial<Approver> = {}): Approver => {
  const { kid, publicKey } = people[name] ?? generateKeys()
  return { kid, publicKey, subject: name, tenant: "acme", roles: ["lead"], ...more }
}

export const everybody = (): Approver[] => Object.keys(people).map((name) => approver(name))

export const say = (
  { bound }: Pick<WaitingApproval | PlanRequest, "bound">,
  name = "eve",
  more: Partial<Parameters<typeof issueApproval>[0]> = {},
): Promise<string> => {
  const { kid, privateKey } = people[name] ?? generateKeys()
  return issueApproval({ bound, decision: "approved", reason: "seen", kid, key: privateKey as never, ...more })
}

export const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "taken",
    ({ code }) => code,
  )

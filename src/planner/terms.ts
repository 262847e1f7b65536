/** What a catalog asks beyond schemas, in words: who may, where values come from, what happens once, what people are asked about. */
import type { Catalog, Tool } from "../catalog/catalog.ts"
import { type Path, sayOrigin, sayPath } from "../catalog/place.ts"
import { type Principal, sayPredicate } from "../catalog/predicate.ts"
import { isLabelled, type Labels, type ParameterRule } from "../catalog/rule.ts"
import { orList } from "../diagnostic/nearest.ts"
import { formatPointer, type Pointer, parsePointer } from "../text/pointer.ts"
import { line } from "./places.ts"

const named = (names: readonly string[]): string => orList(names.map((name) => line(name)))

/** Whether anything is said of data at all: most catalogs do not. */
export const hasRules = ({ tools, inputLabels }: Catalog): boolean =>
  isLabelled(inputLabels) || [...tools.values()].some(({ rules, labels }) => rules.length > 0 || isLabelled(labels))

export const wordsOfLabels: readonly string[] = [
  "- *untrusted* data never reaches a *trusted* argument, *private* data never a *public* one: not by reference, selection, joining, or through a tool. *Only from* takes a reference to one of the places that are named, and no literal.",
]

/** Who acts, and what they may not call. */
export function standingOf(principal: Principal | undefined, closed: readonly string[]): readonly string[] {
  const { subject = "", tenant = "", roles = [] } = principal ?? {}
  const has = roles.length === 0 ? "no role" : `the roles ${roles.map((role) => `\`${line(role)}\``).join(", ")}`
  const who =
    principal === undefined ? [] : [`The plan is for \`${line(subject)}\` of \`${line(tenant)}\`, with ${has}.`]
  const whom = principal === undefined ? "anybody" : "them"
  const not =
    closed.length === 0
      ? []
      : [`Not for ${whom}, and refused: ${closed.map((name) => `\`${line(name)}\``).join(", ")}.`]
  return who.length + not.length === 0 ? [] : [["# Who acts", "", ...who, ...not].join("\n")]
}

/** Of places in a result or in the inputs. */
export const labelsIn = ({ untrusted, private: hidden }: Labels): readonly string[] => [
  ...sayPlaces("Untrusted", untrusted),
  ...sayPlaces("Private", hidden),
]

function sayPlaces(label: string, places: readonly Path[]): readonly string[] {
  if (places.length === 0) return []
  const all = places.some((place) => place.length === 0)
  return [`${label}: ${all ? "all of it" : places.map((place) => `\`${line(formatPointer(place))}\``).join(", ")}.`]
}

/** What a tool asks of its arguments and of who calls it; of one that is known to have the role, the role is not told. */
export function rulesOf({ rules, once, authority, endorses }: Tool, known: boolean): readonly string[] {
  const { roles, when, approval, approvers } = authority
  const about = rules.flatMap((rule) => {
    const said = sayRule(rule)
    return said === "" ? [] : [`\`${line(sayPath(rule.path))}\` ${said}`]
  })
  const terms = [
    ...(about.length === 0 ? [] : [`Rules: ${about.join("; ")}.`]),
    ...(once === undefined ? [] : [`Happens once per ${once.scope} for the same ${sayAll(once.by)}.`]),
    ...(roles === undefined || known ? [] : [`For ${named(roles)} only.`]),
    ...(when === undefined ? [] : [`Held to \`${line(sayPredicate(when))}\`.`]),
    ...(approval === undefined ? [] : [`Each call waits for ${approvers === 1 ? "a person" : `${approvers} people`}.`]),
    ...(endorses.trusted || endorses.public ? [`Gives what is ${sayEndorsed(endorses)}, whatever it was given.`] : []),
  ]
  return terms.length === 0 ? [] : [terms.join(" ")]
}

const sayAll = (pointers: readonly Pointer[]): string =>
  pointers.map((pointer) => `\`${line(sayPath(parsePointer(pointer) ?? []))}\``).join(", ")

const sayEndorsed = ({ trusted, public: shown }: Tool["endorses"]): string =>
  [...(trusted ? ["trusted"] : []), ...(shown ? ["public"] : [])].join(" and ")

function sayRule({ from, trusted, public: shown, mustState }: ParameterRule): string {
  const says = [
    ...(from === undefined ? [] : [`only from ${from.map((origin) => `\`${line(sayOrigin(origin))}\``).join(" or ")}`]),
    ...(trusted ? ["trusted"] : []),
    ...(shown ? ["public"] : []),
    ...(mustState ? ["must be stated"] : []),
  ]
  return says.join(", ")
}

/** Which of the names that a server lists can be told apart: by a person, by a model, by a provider. */

/** Names as plans have them. All else is refused: what is not ASCII may look like something that it is not. */
const wellNamed = /^[A-Za-z0-9_.-]{1,128}$/

/** Of a server, by the operator: it stands before the names of its tools. */
export const isServerName = (name: string): boolean => /^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(name)

/** Names that look alike come to the same: case, separators, `l 1 I`, `0 O`, `rn m`, `vv w`. */
const looksLike = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[_.-]/g, "")
    .replaceAll(/[1i|]/g, "l")
    .replaceAll("0", "o")
    .replaceAll("rn", "m")
    .replaceAll("vv", "w")

export type NameFault =
  | { readonly kind: "outside-the-alphabet" }
  | { readonly kind: "twice" }
  | { readonly kind: "look-alike"; readonly others: readonly string[] }

/** By their place in the list. Of those that cannot be told apart none is taken: nobody knows which is meant. */
export function findNameFaults(names: readonly string[]): ReadonlyMap<number, NameFault> {
  const alike = Map.groupBy(names, looksLike)
  return new Map(
    names.flatMap((name, at): [number, NameFault][] => {
      if (!wellNamed.test(name)) return [[at, { kind: "outside-the-alphabet" }]]
      const near = alike.get(looksLike(name)) ?? []
      if (near.filter((one) => one === name).length > 1) return [[at, { kind: "twice" }]]
      const others = [...new Set(near)].filter((one) => one !== name)
      return others.length === 0 ? [] : [[at, { kind: "look-alike", others }]]
    }),
  )
}

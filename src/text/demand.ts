/** What a host gives wrong in its own code: told in one way, a `TypeError` that says what to give. */

export function demand(right: boolean, message: string): asserts right {
  if (!right) throw new TypeError(message)
}

/** Handlers of a process of their own, for the tests of `validate`. */
export const take = (): null => null
export const accept = ({ id }: { readonly id: string }): true | string => id === "a" || `no \`${id}\` here`
export const never = (): Promise<never> => new Promise(() => {})

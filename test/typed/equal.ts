/** Types tested like values: tsc is the runner. */

/** Compiles only where every one of them is true. */
export const expectTypes = <_All extends readonly true[]>(): void => undefined

/** Whether two types are one and the same: `any` equals only itself, and optional is not the same as undefined. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

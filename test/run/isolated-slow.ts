/** A module that takes longer to load than there is time to begin a call. */
await new Promise((loaded) => setTimeout(loaded, 400))

let called = 0
export const answer = () => ({ n: ++called })

/** A plan already parsed: what `JSON.parse` lost cannot be found again. */
export default { version: 1, steps: [] }

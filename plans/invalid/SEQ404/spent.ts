/** What the host says is spent: a number that is none, and a limit that the catalog does not have. */
export default { records: Number.NaN, cent: 100 }

/** A plan in code that contains itself. */
const args: Record<string, unknown> = { orderId: "A-1" }
args.self = args

export default { version: 1, steps: [{ id: "find", tool: "find_order", args }] }

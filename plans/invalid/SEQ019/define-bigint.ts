/** A plan in code with a value that JSON cannot say. */
export default { version: 1, steps: [{ id: "find", tool: "find_order", args: { orderId: 7n } }] }

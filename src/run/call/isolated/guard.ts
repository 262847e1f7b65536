/**
 * Beside a handler, on a thread of its process: ends them both when they hold too much, or when nobody is left to answer to. A
 * handler that blocks lets nothing else of its own thread do so, and V8 watches over its heap, but not over what buffers hold.
 */
import { parentPort, workerData } from "node:worker_threads"
import type { Guarded } from "./message.ts"

const lookMs = 50

const { parent, memoryMb } = workerData as Guarded
// The heap has a limit of its own: what goes beyond twice as much is not all heap.
const mostBytes = process.memoryUsage.rss() + 2 * memoryMb * 1_048_576

setInterval(() => {
  if (process.ppid !== parent || process.memoryUsage.rss() > mostBytes) process.kill(process.pid, "SIGKILL")
}, lookMs)
parentPort?.postMessage("ready")

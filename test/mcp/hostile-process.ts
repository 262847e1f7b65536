/** The server by hand as a program: `node hostile-process.ts MODE`. */
import { createInterface } from "node:readline"
import { type Message, Speaker } from "./speak.ts"

const [mode = ""] = process.argv.slice(2)
const speaker = new Speaker(mode)

if (mode === "exits") {
  process.stderr.write("no database here\n")
  process.exit(3)
}
if (mode === "stderr-flood") setInterval(() => process.stderr.write("e".repeat(65_536)), 1)
if (mode === "garbage") setInterval(() => process.stdout.write("no JSON at all\n[]\n{}\n"), 1)
if (mode === "endless-line") setInterval(() => process.stdout.write("x".repeat(262_144)), 1)

for await (const line of createInterface(process.stdin)) {
  const message = JSON.parse(line) as Message
  if (message.method === "tools/call" && mode === "dies") process.exit(1)
  if (message.method === "tools/call" && mode === "chatters")
    setInterval(
      () =>
        process.stdout.write('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}\n'),
      1,
    )
  if (mode === "chatters" && message.method === "tools/call") continue
  for (const said of speaker.say(message)) process.stdout.write(`${JSON.stringify(said)}\n`)
}

/** The language server of the installed TypeScript, asked what an editor would ask. */
import { spawn } from "node:child_process"
import { pathToFileURL } from "node:url"
import { tsc } from "./project.ts"

interface Answer {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly items?: readonly unknown[] }
  readonly result?: unknown
}

export interface LanguageServer {
  readonly open: (file: string, text: string) => void
  /** The file as it is after a keystroke. */
  readonly change: (file: string, text: string) => void
  /** What is offered at an offset, by name. */
  readonly complete: (file: string, text: string, offset: number) => Promise<readonly string[]>
  /** What is told of the word at an offset; empty where nothing is. */
  readonly hover: (file: string, text: string, offset: number) => Promise<string>
}

/** Speaks JSON-RPC over standard input and output; ends when `use` is done. */
export async function withLanguageServer<A>(folder: string, use: (server: LanguageServer) => Promise<A>): Promise<A> {
  const child = spawn(process.execPath, [tsc, "--lsp", "--stdio"], { cwd: folder, stdio: ["pipe", "pipe", "ignore"] })
  const waiting = new Map<number, (result: unknown) => void>()
  const send = (message: object): void => {
    const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }))
    child.stdin.write(`Content-Length: ${body.length}\r\n\r\n`)
    child.stdin.write(body)
  }
  let asked = 0
  const ask = (method: string, params: object): Promise<unknown> =>
    new Promise((resolve) => {
      asked += 1
      waiting.set(asked, resolve)
      send({ id: asked, method, params })
    })
  child.stdout.on(
    "data",
    eachMessage(({ id, method, params, result }) => {
      if (id === undefined) return
      // The server asks too: for settings, of which there are none.
      if (method !== undefined) send({ id, result: params?.items?.map(() => null) ?? null })
      else waiting.get(id)?.(result)
    }),
  )
  try {
    const textDocument = { completion: { completionItem: {} } }
    await ask("initialize", { processId: null, rootUri: pathToFileURL(folder).href, capabilities: { textDocument } })
    send({ method: "initialized", params: {} })
    let version = 1
    return await use({
      open: (file, text) => {
        const document = { uri: pathToFileURL(file).href, languageId: "typescript", version, text }
        send({ method: "textDocument/didOpen", params: { textDocument: document } })
      },
      change: (file, text) => {
        version += 1
        const document = { uri: pathToFileURL(file).href, version }
        send({ method: "textDocument/didChange", params: { textDocument: document, contentChanges: [{ text }] } })
      },
      complete: async (file, text, offset) => {
        const list = await ask("textDocument/completion", at(file, text, offset))
        const { items = [] } = (list ?? {}) as { readonly items?: readonly { readonly label: string }[] }
        return items.map(({ label }) => label).sort()
      },
      hover: async (file, text, offset) => {
        const told = (await ask("textDocument/hover", at(file, text, offset))) as { readonly contents?: unknown } | null
        return JSON.stringify(told?.contents ?? "")
      },
    })
  } finally {
    child.kill()
  }
}

function at(file: string, text: string, offset: number): object {
  const before = text.slice(0, offset).split("\n")
  const position = { line: before.length - 1, character: before.at(-1)?.length ?? 0 }
  return { textDocument: { uri: pathToFileURL(file).href }, position }
}

function eachMessage(receive: (message: Answer) => void): (chunk: Buffer) => void {
  let left = Buffer.alloc(0)
  return (chunk) => {
    left = Buffer.concat([left, chunk])
    for (;;) {
      const end = left.indexOf("\r\n\r\n")
      const length = Number(/Content-Length: (\d+)/i.exec(left.subarray(0, Math.max(end, 0)).toString())?.[1])
      if (end < 0 || left.length < end + 4 + length) return
      receive(JSON.parse(left.subarray(end + 4, end + 4 + length).toString()) as Answer)
      left = left.subarray(end + 4 + length)
    }
  }
}

/**
 * `fetch` that reads no more of an answer than is allowed: a stream without an end is cut off, and said to have been. It follows no
 * redirect: who sends one may have done its work, and the request would be made a second time.
 */

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

export class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge"
}

export class AnswerRedirects extends Error {
  override readonly name = "AnswerRedirects"
  readonly status: number

  constructor(status: number) {
    super(`it redirects (HTTP ${status}), and that is not followed`)
    this.status = status
  }
}

/** Each answer counts for itself. `onTooLarge` hears of it before whoever reads does. */
export const limitFetch =
  (fetchIt: Fetch, bytesMax: number, onTooLarge: () => void): Fetch =>
  async (url, init) => {
    const response = await fetchIt(url, { ...init, redirect: "manual" })
    const { body, status, statusText, headers } = response
    if (redirects.has(status) || response.type === "opaqueredirect") {
      await body?.cancel()
      throw new AnswerRedirects(status)
    }
    if (body === null) return response
    let bytes = 0
    const counted = body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          bytes += chunk.byteLength
          if (bytes <= bytesMax) return controller.enqueue(chunk)
          onTooLarge()
          controller.error(new AnswerTooLarge(`more than ${bytesMax} bytes`))
        },
      }),
    )
    return new Response(counted, { status, statusText, headers })
  }

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

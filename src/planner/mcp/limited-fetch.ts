/** `fetch` that reads no more of an answer than is allowed: a stream without an end is cut off, and said to have been. */

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

export class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge"
}

/** Each answer counts for itself. `onTooLarge` hears of it before whoever reads does. */
export const limitFetch =
  (fetchIt: Fetch, bytesMax: number, onTooLarge: () => void): Fetch =>
  async (url, init) => {
    const response = await fetchIt(url, init)
    const { body, status, statusText, headers } = response
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

import { asExomonadError } from '../../domain/errors.ts'
import type { Log } from '../../runtime/log.ts'
import type { ToolContext } from '../../tools/define.ts'

/**
 * A call as server-sent events: `progress` with `{message, event?}` as often as there is something
 * to report, then once `result` or `error`, with what the answer’s body would be.
 */
export async function* callFrames(
  call: (progress: ToolContext['progress']) => Promise<unknown>,
  log: Log,
): AsyncGenerator<string> {
  const frames: string[] = []
  let isOver = false
  let wake = (): void => {}
  const push = (event: string, data: unknown): void => {
    frames.push(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
    wake()
  }
  // The first bytes go out at once, so that a client knows that its call was taken.
  yield ': taken\n\n'
  void call((message, event) =>
    push('progress', { message, ...(event === undefined ? {} : { event }) }),
  ).then(
    (result) => {
      isOver = true
      push('result', result)
    },
    (thrown: unknown) => {
      const error = asExomonadError(thrown)
      if (error.code === 'INTERNAL') log.error({ err: error.cause ?? error }, 'a tool call failed')
      isOver = true
      push('error', error.toJSON())
    },
  )
  for (;;) {
    yield* frames.splice(0)
    if (frames.length > 0) continue
    if (isOver) return
    const { promise, resolve } = Promise.withResolvers<void>()
    wake = resolve
    await promise
  }
}

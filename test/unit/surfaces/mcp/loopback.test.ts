import { expect, it, onTestFinished } from 'vitest'
import { silentLog } from '../../../../src/runtime/log.ts'
import { listenOnLoopback } from '../../../../src/surfaces/mcp/loopback.ts'

it('leaves it to the client to close a connection that rests, so that no call meets its end', async () => {
  const server = await listenOnLoopback([], silentLog())
  onTestFinished(() => server.close())
  server.serve(async (_request, response) => void response.end('{}'))
  const { headers } = await fetch(server.url, { method: 'POST', body: '{}' })
  // Seconds that it promises: some clients keep one for five minutes, whatever it says.
  const [, seconds] = /timeout=(\d+)/.exec(headers.get('keep-alive') ?? '') ?? []
  expect(Number(seconds)).toBeGreaterThan(600)
})

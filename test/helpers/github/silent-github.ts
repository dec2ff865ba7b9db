import { createServer, type Socket } from 'node:net'
import type { FakeGithub } from '../../fixtures/github/fake.ts'
import { listen } from '../../fixtures/github/http/connection.ts'

/**
 * Test helper: takes the fake GitHub’s place: connections are taken, and nothing is ever answered.
 * Returns how to give the place back.
 */
export async function silence(github: FakeGithub): Promise<() => Promise<void>> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.resume()
  })
  await github.down()
  await listen(server, Number(new URL(github.apiUrl).port))
  let over: Promise<void> | undefined
  return () =>
    (over ??= (async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
      await github.up()
    })())
}

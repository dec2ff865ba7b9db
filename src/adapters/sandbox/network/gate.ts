import { lstatSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { parseAllowed } from '../../../domain/formats/allowed-hosts.ts'
import { forward, join, listen } from './forward.ts'
import { createProxy } from './proxy.ts'
import { inwardSocket, outwardSocket, PROXY, type Ways } from './ways.ts'

/**
 * The end outside, which stands beside a sandbox without a network for as long as that lives. What
 * it lets through goes by sockets in the agent’s folder; relay.ts is their other end.
 */
export async function openOutside({ hosts, upstream, outward, inward }: Ways): Promise<void> {
  const allowed = hosts.flatMap((host) => parseAllowed(host) ?? [])
  await listen(createProxy({ allowed, upstream }), PROXY)
  for (const port of outward) await forward(outwardSocket(port), port)
  for (const port of inward)
    await listen(
      createServer({ allowHalfOpen: true }, (socket) => {
        const name = inwardSocket(port)
        // The agent can put a link to another’s socket there.
        const found = lstatSync(name, { throwIfNoEntry: false })
        if (found?.isSocket() === true) join(socket, connect({ path: name, allowHalfOpen: true }))
        else socket.destroy()
      }),
      port,
    )
}

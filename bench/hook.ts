import { createServer } from 'node:http'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type Client } from '../src/surfaces/client.ts'
import { runProgram } from '../test/helpers/daemon.ts'
import { atMost, median, sample, type Figure } from './figures.ts'
import { benchTree } from './tree.ts'

const ROUNDS = 100

/** A hook as an agent CLI calls it, sh + curl to the daemon and back, against the same with a server that answers at once. */
export async function measureHook(): Promise<Figure[]> {
  const tree = await benchTree()
  const folder = mkdtempSync(join(tmpdir(), 'hook-'))
  const server = createServer((request, answer) => {
    request.resume()
    request.on('end', () => answer.end('{}'))
  })
  const socket = join(folder, 's')
  server.listen(socket)
  await once(server, 'listening')
  try {
    const { spawned } = await tree.client.callTool<{ spawned: { agent_id: string }[] }>('spawn_workers', {
      specs: [{ name: 'hooked', prompt: 'Nothing to do.', agent: 'idle' }],
    })
    const id = spawned[0]?.agent_id ?? ''
    const auth = join(tree.exomonad.state, 'auth')
    const authFile = readdirSync(auth).find((name) => name.startsWith(id))
    if (authFile === undefined) throw new Error(`no auth file of ${id} in ${auth}`)
    const env = {
      ...tree.exomonad.repository.env,
      EXOMONAD_SOCKET: tree.socket,
      EXOMONAD_AUTH_FILE: join(auth, authFile),
      EXOMONAD_AGENT_ID: id,
      EXOMONAD_SPOOL: join(tree.exomonad.state, 'spool'),
    }
    const token = readFileSync(join(auth, authFile), 'utf8').trim()
    const [agent, nobody] = [tree.socket, socket].map((path) => createClient({ socket: path, token })) as [Client, Client]
    const script = join(import.meta.dirname, '..', 'hooks', 'tool.sh')
    const hook = async (): Promise<void> => {
      const result = await runProgram('sh', [script], { env, input: '{"tool":"edit"}' })
      if (result.code !== 0 || result.stderr !== '') throw new Error(`hook: ${String(result.code)} ${result.stderr}`)
    }
    const floor = async (): Promise<void> => {
      const command = `curl -q -s --noproxy '*' --max-time 2 --unix-socket ${socket} -H 'content-type: application/json' --data-binary @- http://x/`
      const result = await runProgram('sh', ['-c', command], { env, input: '{"tool":"edit"}' })
      if (result.stdout !== '{}') throw new Error(`floor: ${result.stdout} ${result.stderr}`)
    }
    await sample(5, hook)
    await sample(5, floor)
    const figures: number[] = []
    const floors: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      figures.push(...(await sample(1, hook)))
      floors.push(...(await sample(1, floor)))
    }
    return [
      {
        name: 'hook round trip, p50',
        unit: 'ms',
        value: median(figures),
        floorName: 'sh + curl to a socket that answers at once',
        floor: median(floors),
        target: atMost(12, 'ms', median(figures)),
        samples: ROUNDS,
      },
      // Without starting sh and curl, which is most of it.
      {
        name: 'hook, the daemon’s part, p50',
        unit: 'ms',
        value: median(await sample(ROUNDS, () => agent.hook('tool', { tool: 'edit' }))),
        floorName: 'the same client and the server that answers at once',
        floor: median(await sample(ROUNDS, () => nobody.hook('tool', { tool: 'edit' }))),
        target: null,
        samples: ROUNDS,
      },
    ]
  } finally {
    server.close()
    rmSync(folder, { recursive: true, force: true })
    await tree.exomonad.stop()
  }
}

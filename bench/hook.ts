import { createServer } from 'node:http'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type Client } from '../src/surfaces/client.ts'
import { runProgram } from '../test/helpers/daemon.ts'
import { atMost, median, sample, type Figure } from './figures.ts'
import { benchTree, IDLE_AGENTS } from './tree.ts'

const ROUNDS = 100
const STILL = join(import.meta.dirname, 'fixtures', 'still.sh')

/**
 * The hook that each agent CLI runs before a tool, with what it says then; the last is the one of
 * agents of one's own.
 */
const HOOKS = [
  {
    cli: 'claude',
    script: ['program.sh', 'PreToolUse'],
    body: { session_id: 's', hook_event_name: 'PreToolUse', tool_name: 'Read', tool_input: {} },
  },
  {
    cli: 'gemini',
    script: ['program.sh', 'BeforeTool'],
    body: {
      session_id: 's',
      hook_event_name: 'BeforeTool',
      tool_name: 'read_file',
      tool_input: {},
    },
  },
  {
    cli: 'codex',
    script: ['program.sh', 'PreToolUse'],
    body: { session_id: 's', hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: {} },
  },
  { cli: 'idle', script: ['tool.sh'], body: { tool: 'edit' } },
] as const

/**
 * Hooks as agent CLIs call them, sh + curl to the daemon and back, against the same with a server
 * that answers at once.
 */
export async function measureHook(): Promise<Figure[]> {
  const known = HOOKS.filter(({ cli }) => cli !== 'idle').map(
    ({ cli }) => `[agents.${cli}]\ncommand = [${JSON.stringify(STILL)}]\n`,
  )
  const tree = await benchTree({ config: [IDLE_AGENTS, ...known].join('') })
  const folder = mkdtempSync(join(tmpdir(), 'hook-'))
  const server = createServer((request, answer) => {
    request.resume()
    request.on('end', () => answer.end('{}'))
  })
  const socket = join(folder, 's')
  server.listen(socket)
  await once(server, 'listening')
  try {
    const auth = join(tree.exomonad.state, 'auth')
    /** What the program of an agent has in its environment. */
    const agentOf = async (
      cli: string,
    ): Promise<{ env: Record<string, string>; token: string }> => {
      const { spawned, errors } = await tree.client.call('spawn_workers', {
        specs: [{ name: `hooked-${cli}`, prompt: 'Nothing to do.', agent: cli }],
      })
      const id = spawned[0]?.agent_id ?? ''
      const authFile = readdirSync(auth).find((name) => id !== '' && name.startsWith(id))
      if (authFile === undefined)
        throw new Error(`no auth file of ${id} in ${auth}: ${JSON.stringify(errors)}`)
      const token = readFileSync(join(auth, authFile), 'utf8').trim()
      const env = {
        ...tree.exomonad.repository.env,
        EXOMONAD_SOCKET: tree.socket,
        EXOMONAD_TOKEN: token,
        EXOMONAD_AGENT_ID: id,
        EXOMONAD_SPOOL: join(tree.exomonad.state, 'spool'),
      }
      return { env, token }
    }
    const hooks = await Promise.all(
      HOOKS.map(async ({ cli, script: [script, ...args], body }) => {
        const { env, token } = await agentOf(cli)
        const argv = [join(import.meta.dirname, '..', 'hooks', script), ...args]
        const run = async (): Promise<void> => {
          const result = await runProgram('sh', argv, { env, input: JSON.stringify(body) })
          if (result.code !== 0 || result.stderr !== '')
            throw new Error(`hook of ${cli}: ${String(result.code)} ${result.stderr}`)
        }
        return { cli, run, token, env, times: [] as number[] }
      }),
    )
    const [{ env, token } = { env: {}, token: '' }] = hooks.slice(-1)
    const [agent, nobody] = [tree.socket, socket].map((path) =>
      createClient({ socket: path, token }),
    ) as [Client, Client]
    const floor = async (): Promise<void> => {
      const command = `curl -q -s --noproxy '*' --max-time 2 --unix-socket ${socket} -H 'content-type: application/json' --data-binary @- http://x/`
      const result = await runProgram('sh', ['-c', command], { env, input: '{"tool":"edit"}' })
      if (result.stdout !== '{}') throw new Error(`floor: ${result.stdout} ${result.stderr}`)
    }
    for (const { run } of hooks) await sample(5, run)
    await sample(5, floor)
    const floors: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const { run, times } of hooks) times.push(...(await sample(1, run)))
      floors.push(...(await sample(1, floor)))
    }
    return [
      ...hooks.map(({ cli, times }) => ({
        name: `hook round trip, ${cli === 'idle' ? 'an agent of one’s own' : cli}, p50`,
        unit: 'ms' as const,
        value: median(times),
        floorName: 'sh + curl to a socket that answers at once',
        floor: median(floors),
        target: atMost(12, 'ms', median(times)),
        samples: ROUNDS,
      })),
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

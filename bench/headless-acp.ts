import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { waitFor } from '../test/helpers/wait-for.ts'
import { atMost, median, percentile, timed, type Figure } from './figures.ts'
import { AGENT } from './headless-acp/agent.ts'
import { startDirect } from './headless-acp/direct.ts'
import { benchTree, rssOf, type BenchTree } from './tree.ts'

/** Fewer, to see whether it runs at all. */
const IS_SHORT = process.env['EXOMONAD_BENCH_SHORT'] !== undefined
const SESSIONS = IS_SHORT ? 3 : 20
const PROMPTS = IS_SHORT ? 5 : 100
const KILLS = Math.min(10, SESSIONS)
/** Of a process’s memory: readings, and milliseconds between them. */
const READINGS = IS_SHORT ? 3 : 15
const BETWEEN = 500
const LIMIT = { limit: 120_000 }

/**
 * Sessions of the Agent Client Protocol that idle, through the real daemon: what each costs it and
 * the detached host beside its own process, how long a message takes to become work, and how long
 * the end of one takes. The agent is a scripted one, so that no model is measured.
 */
export async function measureHeadlessAcp(): Promise<Figure[]> {
  const tree = await benchTree({
    config: `[acp.scripted]
command = [${JSON.stringify(process.execPath)}, ${JSON.stringify(AGENT)}]
permission = "allow"
[roles.session]
runtime = "acp"
agent = "scripted"
tools = ["note", "send"]
[limits]
max_live_agents = 1000
max_live_headless = 1000
`,
  })
  try {
    const daemon = await tree.exomonad.daemonPid()
    // The first of them loads what all need.
    await spawn(tree, ['first'])
    const host = await hostPid(tree)
    const before = await memoryOf(daemon, host)
    const agents = await spawn(
      tree,
      Array.from({ length: SESSIONS }, (_, index) => `session-${index}`),
    )
    const after = await memoryOf(daemon, host)
    const own = median(agents.map(({ pid }) => rssOf(pid))) * 1024
    const each = (now: number, then: number): number => ((now - then) * 1024) / SESSIONS
    const memory = (whose: string, value: number, target: Figure['target']): Figure => ({
      name: `memory of ${whose} for an idle ACP session, ${SESSIONS} of them`,
      unit: 'kB',
      value,
      floorName: 'the agent’s own process',
      floor: own,
      target,
      samples: READINGS,
    })
    const inDaemon = each(after.daemon, before.daemon)
    return [
      memory('the daemon', inDaemon, atMost(1024, 'kB', inDaemon)),
      memory('the detached host', each(after.host, before.host), null),
      ...(await measurePrompts(tree)),
      ...(await measureKills(tree, agents.slice(0, KILLS))),
    ]
  } finally {
    await tree.exomonad.stop()
  }
}

interface Session {
  readonly name: string
  readonly pid: number
}

/** Workers that are sessions, with their first turn behind them. */
async function spawn(tree: BenchTree, names: readonly string[]): Promise<Session[]> {
  const specs = names.map((name) => ({ name, prompt: 'Nothing to do.', role: 'session' }))
  const { errors } = await tree.client.call('spawn', {
    kind: 'worker',
    specs,
  })
  if (errors.length > 0) throw new Error(`spawning failed: ${JSON.stringify(errors)}`)
  return waitFor(
    'idle sessions',
    async () => {
      const { root } = (await tree.client.callTool('tree', {})) as any
      const nodes = root.children.filter((node: any) => names.includes(node.name))
      return (
        nodes.length === names.length &&
        nodes.every((node: any) => node.state === 'idle' && node.pid !== null) &&
        nodes
      )
    },
    LIMIT,
  )
}

/** The host of this tree alone: its arguments name the state folder. */
async function hostPid({ exomonad }: BenchTree): Promise<number> {
  return waitFor('the detached host', () => {
    for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
      try {
        const words = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0')
        if (
          words.some((word) => /\/detached-host\.(js|ts)$/.test(word)) &&
          words.some((word) => word.startsWith(exomonad.state))
        )
          return Number(name)
      } catch {
        // It ended meanwhile.
      }
    }
    return undefined
  })
}

async function memoryOf(daemon: number, host: number): Promise<{ daemon: number; host: number }> {
  const readings: { daemon: number; host: number }[] = []
  for (let reading = 0; reading < READINGS; reading += 1) {
    await delay(BETWEEN)
    readings.push({ daemon: rssOf(daemon), host: rssOf(host) })
  }
  return {
    daemon: median(readings.map((one) => one.daemon)),
    host: median(readings.map((one) => one.host)),
  }
}

/** From the call that sends a message until the agent has done what it says: a file is there. */
async function measurePrompts(tree: BenchTree): Promise<Figure[]> {
  const folder = tree.exomonad.scripts
  const until = (file: string) =>
    waitFor('the work', () => existsSync(file), { every: 1, ...LIMIT })
  const direct = await startDirect(folder)
  const through: number[] = []
  const floors: number[] = []
  try {
    for (let round = 0; round < PROMPTS; round += 1) {
      const file = join(folder, `through-${round}`)
      const sent = await timed(async () => {
        await tree.client.callTool('send', { to: 'first', message: `Now:\nsave ${file} x` })
        await until(file)
      })
      through.push(sent.ms)
      // The next one only when it idles again: a turn is measured, not a queue.
      await waitFor(
        'the end of its turn',
        async () => {
          const { root } = (await tree.client.callTool('tree', {})) as any
          const node = root.children.find(({ name }: any) => name === 'first')
          return node.state === 'idle' && node.undelivered === 0
        },
        { every: 5, ...LIMIT },
      )
      const plain = join(folder, `direct-${round}`)
      let turn: Promise<void> | undefined
      const asked = await timed(() => {
        turn = direct.prompt(`save ${plain} x`)
        return until(plain)
      })
      floors.push(asked.ms)
      await turn
    }
  } finally {
    await direct.end()
  }
  return ([0.5, 0.99] as const).map((share) => ({
    name: `message → work of an idle ACP session, p${share * 100}`,
    unit: 'ms',
    value: percentile(through, share),
    floorName: 'the same prompt written to the agent’s pipe',
    floor: percentile(floors, share),
    target: null,
    samples: PROMPTS,
  }))
}

/** From the call that kills a session until its process is gone. */
async function measureKills(tree: BenchTree, agents: readonly Session[]): Promise<Figure[]> {
  const killed: number[] = []
  const floors: number[] = []
  for (const { name, pid } of agents) {
    let call: Promise<unknown> | undefined
    const through = await timed(() => {
      call = tree.client.callTool('kill', { agent: name })
      return waitFor('its end', () => !isThere(pid), { every: 1, ...LIMIT })
    })
    killed.push(through.ms)
    await call
    const direct = await startDirect(tree.exomonad.scripts)
    floors.push((await timed(direct.end)).ms)
  }
  const slowest = percentile(killed, 1)
  const row = (what: string, share: number, target: Figure['target']): Figure => ({
    name: `kill → an idle ACP session’s process is gone, ${what}`,
    unit: 'ms',
    value: percentile(killed, share),
    floorName: 'SIGTERM to the same agent',
    floor: percentile(floors, share),
    target,
    samples: agents.length,
  })
  return [row('p50', 0.5, null), row('slowest', 1, atMost(100, 'ms', slowest))]
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

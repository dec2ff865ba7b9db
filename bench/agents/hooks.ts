import { once } from 'node:events'
import { createServer } from 'node:http'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RealCli } from '../../test/e2e/real-cli.ts'
import { runProgram } from '../../test/helpers/daemon.ts'
import { atMost, median, sample, type Figure } from '../figures.ts'
import { agentAccess, type BenchWorld } from './world.ts'

const ROUNDS = 60

/**
 * The hooks that each runs for one tool call, in their order, and what it sends them; one after the
 * other, since it waits for each.
 */
const TOOL_HOOKS: Readonly<Record<RealCli['name'], readonly string[]>> = {
  claude: ['PreToolUse', 'PostToolUse'],
  gemini: ['BeforeTool', 'AfterTool'],
  codex: ['PreToolUse', 'PostToolUse'],
  opencode: ['tool.execute.before', 'tool.execute.after'],
}

/**
 * One hook’s round trip as the CLI calls it, and all those of one tool call; the floor is sh + curl
 * to a server that answers at once.
 */
export async function measureToolHooks(world: BenchWorld): Promise<Figure[]> {
  const { name } = world.cli
  const { agentId } = await world.worker('hooked', [{ say: 'Ready.' }])
  await world.rests('hooked')
  const env = agentAccess(world, agentId)
  const script = join(import.meta.dirname, '..', '..', 'hooks', 'program.sh')
  const hook = (event: string) => async (): Promise<void> => {
    const input = JSON.stringify({
      hook_event_name: event,
      tool_name: 'Bash',
      tool: 'bash',
      tool_input: { command: 'npm test' },
      tool_response: 'x'.repeat(2000),
    })
    const result = await runProgram('sh', [script, event], { env, input })
    if (result.code !== 0 || result.stderr !== '')
      throw new Error(`hook ${event}: ${String(result.code)} ${result.stderr}`)
  }
  const folder = mkdtempSync(join(tmpdir(), 'hook-'))
  const socket = join(folder, 's')
  const server = createServer((request, answer) => {
    request.resume()
    request.on('end', () => answer.end('{}'))
  })
  server.listen(socket)
  await once(server, 'listening')
  const floor = async (): Promise<void> => {
    const command = `curl -q -s --noproxy '*' --max-time 2 --unix-socket ${socket} -H 'content-type: application/json' --data-binary @- http://x/`
    const result = await runProgram('sh', ['-c', command], { env, input: '{"tool":"edit"}' })
    if (result.stdout !== '{}') throw new Error(`floor: ${result.stdout} ${result.stderr}`)
  }
  try {
    const events = TOOL_HOOKS[name]
    const last = events.at(-1) ?? ''
    const single: number[] = []
    const call: number[] = []
    const floors: number[] = []
    await sample(3, hook(last))
    for (let round = 0; round < ROUNDS; round += 1) {
      single.push(...(await sample(1, hook(last))))
      floors.push(...(await sample(1, floor)))
      call.push(
        ...(await sample(1, async () => {
          for (const event of events) await hook(event)()
        })),
      )
    }
    const floorName = 'sh + curl to a socket that answers at once'
    return [
      {
        name: `${name}: hook round trip (${last}), p50`,
        unit: 'ms',
        value: median(single),
        floorName,
        floor: median(floors),
        target: atMost(12, 'ms', median(single)),
        samples: ROUNDS,
      },
      {
        name: `${name}: hooks per tool call (${events.length}), p50`,
        unit: 'ms',
        value: median(call),
        floorName: `${floorName}, ${events.length} ×`,
        floor: median(floors) * events.length,
        target: null,
        samples: ROUNDS,
      },
    ]
  } finally {
    server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

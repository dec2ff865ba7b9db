import { expect, it } from 'vitest'
import type { LaunchRequest } from '../../../../src/adapters/agent-cli/agent-cli.ts'
import { configSchema } from '../../../../src/config/schema.ts'
import { createLauncher } from '../../../../src/core/spawn/launch.ts'
import { newToken } from '../../../../src/core/spawn/token.ts'
import { asPaneId } from '../../../../src/domain/ids.ts'
import { silentLog } from '../../../../src/runtime/log.ts'
import { makeAgent } from '../make-agent.ts'

it('a program waits for its turn before each start, and is planned anew without a conversation that is gone', async () => {
  const agent = makeAgent({ agentCli: 'program', state: 'spawning' })
  const done: string[] = []
  const nothing = async (): Promise<void> => {}
  const launcher = createLauncher({
    store: {
      agents: { list: async () => [], get: async () => agent, update: nothing },
    },
    multiplexer: {
      open: async () => {
        done.push('open')
        return { paneId: asPaneId('%1'), pid: 7 }
      },
      capture: async () => '',
      close: async () => void done.push('close'),
    },
    files: {
      folder: () => '/folder',
      promptFile: () => '/prompt',
      writePrompt: nothing,
      writeAuth: async () => '/auth',
      writePlanned: nothing,
      writeChannel: nothing,
      writeLaunch: async () => ['launch'],
    },
    paths: { home: '/home', spool: '/spool', configFile: '/config.toml' },
    log: silentLog(),
    environmentOf: () => ({}),
    slots: { of: async () => ({ slot: 1, portBase: 20_020 }) },
    limits: { behind: async () => ({ argv: [], notices: [] }) },
    panes: { find: async () => undefined },
    ...{ agentPath: '/bin', socket: '/socket', mcpUrl: null, hookScript: '/hook' },
  } as unknown as Parameters<typeof createLauncher>[0])
  const cli = {
    inert: (text: string) => text,
    passes: [],
    plan: async ({ session }: LaunchRequest) => {
      done.push(`plan ${session?.id ?? 'fresh'}`)
      return {
        ...{ argv: ['program'], env: {}, files: [], channel: null, warnings: [] },
        ...{ session: 'fresh', sessionId: session?.id ?? null },
      }
    },
    turn: async () => void done.push('turn'),
    settle: async (_live: unknown, { session }: LaunchRequest) =>
      session === null
        ? { session: null, forked: false, warnings: [] }
        : { notUp: 'It ended', again: () => 'fresh' },
  }
  await launcher.launch({ config: configSchema.parse({}), agentCli: () => cli } as never, agent, {
    ...{ mode: 'resume', prompt: 'Go on.', session: { id: 'ses_1', transcript: null } },
    token: newToken(),
  })
  expect(done).toEqual([
    ...['plan ses_1', 'turn', 'open', 'close'],
    ...['plan fresh', 'turn', 'open'],
  ])
})

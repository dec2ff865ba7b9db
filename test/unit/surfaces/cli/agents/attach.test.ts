import { describe, expect, it } from 'vitest'
import { attach as command } from '../../../../../src/surfaces/cli/agents/agent-commands.ts'
import { fakeRun } from '../fake-context.ts'

/**
 * A run of `attach` in which what shows the terminal ends with these codes, each so many
 * milliseconds after the one before.
 */
async function attach(
  multiplexer: string,
  ends: readonly { code: number; after: number }[],
  env: Readonly<Record<string, string>> = {},
) {
  const ran: string[] = []
  let at = 0
  const { said, run } = fakeRun(command, {
    env,
    tools: {
      attach: () => ({
        agent_id: 'a-1',
        multiplexer,
        pane: '%1',
        argv: ['show', String(ran.length + 1)],
      }),
    },
    runs: (argv) => {
      const { code, after } = ends[ran.length] ?? { code: 0, after: 60_000 }
      ran.push(argv.join(' '))
      at += after
      return { code, at }
    },
  })
  await run('auth')
  return { ran, failed: said.failed }
}

describe('attach', () => {
  it('shows the terminal, and fails where what shows it does', async () => {
    expect(await attach('tmux', [{ code: 0, after: 10 }])).toEqual({
      ran: ['show 1'],
      failed: false,
    })
    expect(await attach('tmux', [{ code: 1, after: 10 }])).toEqual({
      ran: ['show 1'],
      failed: true,
    })
  })

  it('asks for it again where Zellij drops who comes, up to four times', async () => {
    const dropped = { code: 0, after: 900 }
    expect(await attach('zellij', [dropped, { code: 1, after: 300 }])).toEqual({
      ran: ['show 1', 'show 2', 'show 3'],
      failed: false,
    })
    expect(await attach('zellij', [dropped, { code: 1, after: 2000 }])).toEqual({
      ran: ['show 1', 'show 2'],
      failed: true,
    })
    expect(
      (
        await attach(
          'zellij',
          Array.from({ length: 9 }, () => dropped),
        )
      ).ran,
    ).toHaveLength(4)
  })

  it('asks once from inside of Zellij, where it only moves the focus', async () => {
    expect(
      (
        await attach('zellij', [{ code: 0, after: 40 }], {
          ZELLIJ: '0',
          ZELLIJ_SESSION_NAME: 'mine',
        })
      ).ran,
    ).toEqual(['show 1'])
  })
})

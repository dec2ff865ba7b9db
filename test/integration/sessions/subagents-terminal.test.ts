import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { runProgram, startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { BIN } from '../../helpers/programs.ts'
import { describeWith } from '../../helpers/terminals/require-tool.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'

const SCRIPTED = join(import.meta.dirname, '..', '..', 'fixtures', 'acp', 'scripted-agent.ts')
const LIMIT = { limit: 60_000 }

let tree: Exomonad
beforeAll(async () => {
  tree = await startExomonad({
    config: `[acp.script]\ncommand = ${JSON.stringify([process.execPath, SCRIPTED])}\npermission = "allow"\n[headless]\nacp = "script"\n`,
  })
})
afterAll(() => tree?.stop())

/** A shell on a terminal of so many columns, in a tmux server of its own. */
async function openTerminal(columns: number) {
  const { folder, env, path } = tree.repository
  const socket = join(folder, `t${columns}.sock`)
  const tmux = async (...args: string[]): Promise<string> => {
    const result = await runProgram('tmux', ['-u', '-S', socket, '-f', '/dev/null', ...args], {
      env: { ...env, PS1: '$ ' },
      cwd: path,
      timeout: 20_000,
    })
    if (result.code !== 0) throw new Error(`tmux ${args.join(' ')}: ${result.stderr}`)
    return result.stdout
  }
  await tmux('new-session', '-d', '-s', 'sub', '-x', String(columns), '-y', '24', 'sh')
  onTestFinished(
    async () =>
      void (await runProgram('tmux', ['-S', socket, 'kill-server'], { env, timeout: 20_000 })),
  )
  const line = async (text: string): Promise<void> => {
    await tmux('send-keys', '-t', 'sub', '-l', text)
    await tmux('send-keys', '-t', 'sub', 'Enter')
  }
  const quoted = [process.execPath, BIN].map((part) => `'${part}'`).join(' ')
  await line(`exomonad() { ${quoted} "$@"; echo "exit $?"; }; clear`)
  return {
    line,
    key: (name: string) => tmux('send-keys', '-t', 'sub', name),
    /** Waits until the screen is all of that; returns it. */
    until: async (what: string, ...tests: readonly RegExp[]): Promise<string> => {
      let last = ''
      try {
        return await waitFor(
          what,
          async () => (
            (last = await tmux('capture-pane', '-p', '-t', 'sub')),
            tests.every((test) => test.test(last)) && last
          ),
          { ...LIMIT, every: 50 },
        )
      } catch (error) {
        throw new Error(`Waited in vain for ${what}. The screen:\n${last}`, { cause: error })
      }
    },
  }
}

const write = (name: string, ...lines: string[]): string => {
  const path = join(tree.repository.folder, name)
  writeFileSync(path, ['script:', ...lines].join('\n'))
  return path
}

describeWith(['tmux'], 'exomonad subagent on a terminal', () => {
  it.each([80, 40])(
    verifies(
      'R002-09',
      'shows nested subagents at work as a live tree of %i columns, and their answer below it',
    ),
    async (columns) => {
      const until = join(tree.repository.folder, `go-${columns}`)
      const inner = {
        task: `script:\ntool read 深い/${'とても長い名前'.repeat(8)}.ts\nrun until test -e ${until}; do sleep 0.05; done\nsay inner`,
        description: 'Inner 調査',
      }
      const task = write(
        `task-${columns}`,
        'tool read src/a.ts',
        `call subagent_spawn ${JSON.stringify(inner)}`,
        'say The answer is 42.',
      )
      const terminal = await openTerminal(columns)
      await terminal.line(`exomonad subagent spawn - -d Outer < ${task}`)
      // It is drawn anew again and again: half of it may be there when one looks.
      await terminal.until(
        'both at work',
        /^[\u2800-\u28ff] Outer · \d+s · 2 tool calls$/m,
        /^ {2}⎿ .*src\/a\.ts/m,
        /^ {2}[\u2800-\u28ff] Inner 調査 · \d+s/m,
        /^ {4}⎿ .*深い.*…$/m,
      )
      writeFileSync(until, '')
      const done = await terminal.until('the answer', /exit \d/)
      expect(done).toMatch(/^✓ Outer · \d+s · 2 tool calls/m)
      expect(done).toMatch(/^ {2}✓ Inner 調査 · \d+s[^\n]*\nThe answer is 42\.\nexit 0$/m)
    },
  )

  it('ends with Ctrl-C, and so does the subagent', async () => {
    const terminal = await openTerminal(90)
    await terminal.line(
      `exomonad subagent spawn - -d 'Waits for ever' < ${write('waits', 'tool read a.ts', 'wait')}`,
    )
    await terminal.until('its tool call', /⎿[^\n]*a\.ts/)
    const child = await tree.agent('waits-for-ever')
    await terminal.key('C-c')
    expect(await terminal.until('its end', /exit \d/)).toMatch(
      /Interrupted: the subagent is ended\.\nexit 1$/m,
    )
    await waitFor(
      'it to be killed',
      async () => (await tree.call('agent_status', { agent_id: child.id })).status === 'killed',
      LIMIT,
    )
  })
})

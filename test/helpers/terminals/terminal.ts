import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { onTestFinished } from 'vitest'
import { runProgram, type Exomonad } from '../daemon.ts'
import { BIN } from '../programs.ts'
import { waitFor } from '../wait-for.ts'

/**
 * Test helper: a shell on a terminal of 80×24 in a tmux server of its own, with `exomonad`, which
 * says its exit code: `exit 0`.
 */
export interface Terminal {
  screen(): Promise<string>
  /** Types a text and presses Enter. */
  line(text: string): Promise<void>
  /** By tmux’s names: C-c, Escape. */
  key(name: string): Promise<void>
  /** From now on every byte that is written to it; returns them, one character each. */
  record(): Promise<() => string>
  /** Waits until the screen is so; returns it. */
  until(what: string, test: RegExp): Promise<string>
}

/** For a busy machine; nothing waits that long where all is well. */
const LIMIT = { limit: 60_000 }
let opened = 0

export async function openTerminal(tree: Exomonad): Promise<Terminal> {
  const { folder, env, path } = tree.repository
  const socket = join(folder, `t${++opened}.sock`)
  const tmux = async (...args: string[]): Promise<string> => {
    const result = await runProgram('tmux', ['-u', '-S', socket, '-f', '/dev/null', ...args], {
      env: { ...env, PS1: '$ ' },
      cwd: path,
      timeout: 20_000,
    })
    if (result.code !== 0) throw new Error(`tmux ${args.join(' ')}: ${result.stderr}`)
    return result.stdout
  }
  await tmux('new-session', '-d', '-s', 'shell', '-x', '80', '-y', '24', 'sh')
  onTestFinished(
    async () =>
      void (await runProgram('tmux', ['-S', socket, 'kill-server'], { env, timeout: 20_000 })),
  )
  const quoted = [process.execPath, BIN].map((part) => `'${part}'`).join(' ')
  await tmux(
    'send-keys',
    '-t',
    'shell',
    '-l',
    `exomonad() { ${quoted} "$@"; echo "exit $?"; }; clear`,
  )
  await tmux('send-keys', '-t', 'shell', 'Enter')
  return {
    screen: () => tmux('capture-pane', '-p', '-t', 'shell'),
    line: async (text) => {
      await tmux('send-keys', '-t', 'shell', '-l', text)
      await tmux('send-keys', '-t', 'shell', 'Enter')
    },
    key: async (name) => void (await tmux('send-keys', '-t', 'shell', name)),
    record: async () => {
      const stream = `${socket}.raw`
      await tmux('pipe-pane', '-O', '-t', 'shell', `exec cat > '${stream}'`)
      await waitFor('the stream to be recorded', () => existsSync(stream))
      return () => readFileSync(stream, 'latin1')
    },
    until: async (what, test) => {
      let last = ''
      try {
        return await waitFor(
          what,
          async () => (
            (last = await tmux('capture-pane', '-p', '-t', 'shell')),
            test.test(last) && last
          ),
          { ...LIMIT, every: 50 },
        )
      } catch (error) {
        throw new Error(`Waited in vain for ${what}. The screen:\n${last}`, { cause: error })
      }
    },
  }
}

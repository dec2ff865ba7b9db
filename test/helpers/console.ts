import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { runProgram, type Exomonad } from './daemon.ts'
import { BIN } from './programs.ts'
import { waitFor } from './wait-for.ts'

/**
 * Test helper: `exomonad console` as a person has it, in a real tmux of a server of its own. Use:
 *
 *   const console = await openConsole(tree, { columns: 80, rows: 24 })
 *   onTestFinished(() => console.close())
 *   await console.line('/fork helper')
 *   await console.until('the child is viewed', (screen) => screen.includes('helper'))
 */
export interface Console {
  /** Types text without Enter. */
  type(text: string): Promise<void>
  /** Presses keys by tmux’s names: Enter, Tab, Escape, Up, M-Left, PageUp, C-c. */
  key(...names: readonly string[]): Promise<void>
  /** Types a text and presses Enter. */
  line(text: string): Promise<void>
  /** What is on the screen: one line each row, without spaces at their ends. */
  screen(): Promise<string>
  /** The same as rows, all of the screen’s height. */
  rows(): Promise<string[]>
  /** With colours, as SGR sequences. */
  coloured(): Promise<string>
  resize(columns: number, rows: number): Promise<void>
  /** Waits until the screen is so; returns it. */
  until(
    what: string,
    test: (screen: string) => boolean,
    options?: { limit?: number },
  ): Promise<string>
  /** Every byte that was written to the terminal so far, as latin1: one character each byte. */
  raw(): string
  /** A format of tmux about the pane: `#{alternate_on}`. */
  pane(format: string): Promise<string>
  /** Waits until the console ended; returns its exit code. The screen is then the shell’s. */
  ended(): Promise<number>
  close(): Promise<void>
}

export interface ConsoleOptions {
  readonly columns?: number
  readonly rows?: number
  readonly args?: readonly string[]
  /** Words before `console`. */
  readonly before?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** Limits are for a busy machine; nothing waits that long where all is well. */
const LIMIT = 60_000
let opened = 0

export async function openConsole(
  tree: { readonly repository: Pick<Exomonad['repository'], 'folder' | 'env' | 'path'> },
  options: ConsoleOptions = {},
): Promise<Console> {
  const { folder, env, path } = tree.repository
  const number = ++opened
  const socket = join(folder, `c${number}.sock`)
  const stream = join(folder, `c${number}.raw`)
  const ownEnv = { ...env, ...options.env }
  const tmux = async (...args: string[]): Promise<string> => {
    const result = await runProgram('tmux', ['-u', '-S', socket, '-f', '/dev/null', ...args], {
      env: ownEnv,
      cwd: path,
      timeout: 20_000,
    })
    if (result.code !== 0) throw new Error(`tmux ${args.join(' ')}: ${result.stderr}`)
    return result.stdout
  }
  const quoted = [
    process.execPath,
    BIN,
    ...(options.before ?? []),
    'console',
    ...(options.args ?? []),
  ]
    .map((part) => `'${part.replaceAll("'", `'\\''`)}'`)
    .join(' ')
  // It waits for Enter, so that the stream is recorded from its first byte on.
  const script = `printf 'before the console\\n'; read -r _; ${quoted}; code=$?; stty -a; printf 'ended with %s\\n' "$code"; exec cat`
  const size = ['-x', String(options.columns ?? 80), '-y', String(options.rows ?? 24)]
  await tmux('new-session', '-d', '-s', 'console', ...size, 'sh', '-c', script)
  await tmux('pipe-pane', '-O', '-t', 'console', `exec cat > '${stream}'`)
  await waitFor('the stream to be recorded', () => existsSync(stream))

  const type = async (text: string): Promise<void> =>
    void (await tmux('send-keys', '-t', 'console', '-l', '--', text))
  const key = async (...names: readonly string[]): Promise<void> =>
    void (await tmux('send-keys', '-t', 'console', '--', ...names))
  const screen = async (): Promise<string> => tmux('capture-pane', '-p', '-t', 'console')
  const pane = async (format: string): Promise<string> =>
    (await tmux('display-message', '-p', '-t', 'console', format)).trim()
  const until: Console['until'] = async (what, test, { limit = LIMIT } = {}) => {
    let last = ''
    try {
      return await waitFor(what, async () => ((last = await screen()), test(last) && last), {
        limit,
        every: 50,
      })
    } catch (error) {
      throw new Error(`Waited in vain for ${what}. The screen:\n${last}`, { cause: error })
    }
  }
  await key('Enter')
  await waitFor(
    'the console to take the screen',
    async () => (await pane('#{alternate_on}')) === '1',
    { limit: LIMIT, every: 50 },
  ).catch(async (error) => {
    throw new Error(`The console did not start:\n${await screen()}`, { cause: error })
  })

  return {
    type,
    key,
    line: async (text) => {
      await type(text)
      await key('Enter')
    },
    screen,
    rows: async () => (await screen()).replace(/\n$/, '').split('\n'),
    coloured: async () => tmux('capture-pane', '-p', '-e', '-t', 'console'),
    resize: async (columns, rows) =>
      void (await tmux(
        'resize-window',
        '-t',
        'console',
        '-x',
        String(columns),
        '-y',
        String(rows),
      )),
    until,
    raw: () => (existsSync(stream) ? readFileSync(stream, 'latin1') : ''),
    pane,
    ended: async () =>
      Number(
        /^ended with (\d+)$/m.exec(
          await until('the console to end', (text) => /^ended with \d+$/m.test(text)),
        )?.[1],
      ),
    close: async () => {
      await runProgram('tmux', ['-S', socket, 'kill-server'], { env: ownEnv, timeout: 20_000 })
      await waitFor(
        'the terminal to be gone',
        async () =>
          (await runProgram('tmux', ['-S', socket, 'list-sessions'], { env: ownEnv })).code !== 0,
      )
    },
  }
}

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import type { Command } from 'commander'
import { describe, expect, it, onTestFinished } from 'vitest'
import { main } from '../../../../src/bin/cli.ts'
import { readEnvironment } from '../../../../src/config/environment.ts'
import { COMMANDS } from '../../../../src/surfaces/cli/commands.ts'
import type { CliContext } from '../../../../src/surfaces/cli/context.ts'
import type { Host } from '../../../../src/surfaces/cli/host.ts'
import { buildProgram, commandNamed } from '../../../../src/surfaces/cli/program.ts'
import { toAscii } from '../../../../src/surfaces/text/ascii.ts'
import { displayWidth } from '../../../../src/surfaces/text/width.ts'

const BIN = join(import.meta.dirname, '..', '..', '..', '..', 'src', 'bin', 'exomonad.ts')

/** Runs a command line in this process, with nothing behind it. */
async function run(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  return runIn({}, ...argv)
}

const runIn = (variables: Record<string, string>, ...argv: string[]) =>
  runOn({}, variables, ...argv)

/** Streams that are a terminal where it is said. */
async function runOn(
  {
    stdout = {},
    stderr = {},
  }: { stdout?: { isTTY?: boolean; columns?: number }; stderr?: { isTTY?: boolean } },
  variables: Record<string, string>,
  ...argv: string[]
): Promise<{ code: number; out: string; err: string }> {
  let out = ''
  let err = ''
  const stream = (take: (text: string) => void) => ({ write: (text: string) => (take(text), true) })
  const nothing = new Proxy(
    {},
    { get: (_target, name) => () => Promise.reject(new Error(`${String(name)} was called`)) },
  ) as Host
  const code = await main(argv, {
    environment: readEnvironment({ HOME: '/nowhere', ...variables }),
    cwd: '/',
    host: nothing,
    onInterrupt: () => () => {},
    terminal: {
      stdout: { ...stdout, ...stream((text) => (out += text)) },
      stderr: { ...stderr, ...stream((text) => (err += text)) },
      stdin: (async function* () {})(),
    },
  })
  return { code, out, err }
}

/** Building touches nothing of it. */
const BARE = { version: '0.0.0' } as CliContext
const everyCommand = (command: Command): Command[] => [
  command,
  ...command.commands.flatMap(everyCommand),
]

describe('the program', () => {
  it('is described whole: every command, argument and option says what it is for', async () => {
    const program = await buildProgram(BARE)
    const commands = everyCommand(program).slice(1)
    expect(commands.length).toBeGreaterThan(35)
    for (const command of commands) {
      expect(command.description(), command.name()).not.toBe('')
      for (const argument of command.registeredArguments)
        if (command.name() !== 'help')
          expect(argument.description, `${command.name()} ${argument.name()}`).not.toBe('')
      for (const option of command.options)
        expect(option.description, `${command.name()} ${option.flags}`).not.toBe('')
    }
  })

  it('knows a command by its other name too, and nobody has two', async () => {
    const own = await run('web', '--help')
    expect(await run('open', '--help')).toEqual(own)
    expect(own.out).toContain('--read-only')
    const names = COMMANDS.flatMap(({ name, alias = [] }) => [name].concat(alias))
    expect(new Set(names).size).toBe(names.length)
  })

  it('has an action behind every command that has no sub-commands', async () => {
    const program = await buildProgram(BARE)
    for (const command of everyCommand(program)) {
      if (command.commands.length > 0 || command.name() === 'help') continue
      expect(
        (command as unknown as { _actionHandler: unknown })._actionHandler,
        command.name(),
      ).toBeTypeOf('function')
    }
  })

  it('has every command of the design', () => {
    const names = COMMANDS.map((command) => command.name)
    const wanted =
      'init up down resume deinit daemon trust spawn tree pr note question answer inbox approve deny events attach logs send fork kill wait mail capture reap slash console clean ps config call hook ack doctor completion demo'
    expect(names).toEqual(expect.arrayContaining(wanted.split(' ')))
  })

  it('finds the command that a line names', () => {
    expect(commandNamed(['tree', '--json'])).toBe('tree')
    expect(commandNamed(['-C', 'pr', '--as', 'tree', '--json', 'spawn', 'workers'])).toBe('spawn')
    expect(commandNamed(['help', 'pr'])).toBe('pr')
    expect(commandNamed(['--help'])).toBeNull()
  })
})

describe('help', () => {
  it.each([20, 40, 60, 80, 100, 200])('of every command fits %i columns', async (columns) => {
    const program = await buildProgram(BARE)
    const lineOf = (command: Command): string[] =>
      command.parent === null ? [] : [...lineOf(command.parent), command.name()]
    for (const command of everyCommand(program)) {
      if (command.name() === 'help') continue
      const { out, code } = await runIn({ COLUMNS: String(columns) }, ...lineOf(command), '--help')
      expect(code).toBe(0)
      // A word that is longer stands alone: it could not be copied otherwise.
      const tooLong = out
        .split('\n')
        .filter((line) => displayWidth(line) > columns && line.trim().includes(' '))
      expect(tooLong, lineOf(command).join(' ')).toEqual([])
      if (columns >= 40)
        expect(
          Math.max(...out.split('\n').map(displayWidth)),
          lineOf(command).join(' '),
        ).toBeLessThanOrEqual(columns)
      for (const { description, flags } of command.options.filter(({ hidden }) => !hidden)) {
        expect(out.replace(/\s+/g, ' ')).toContain(description.replace(/\s+/g, ' '))
        expect(out.replace(/\s+/g, ' ')).toContain(flags)
      }
    }
  })
})

describe('signs and colours', () => {
  const top = join(import.meta.dirname, '..', '..', '..', '..', 'src')
  /** Written for programs, or read from them, and never shown by us. */
  const OTHERS =
    /^(adapters\/agent-cli\/|domain\/ids\.ts$|domain\/formats\/slug\.ts$|surfaces\/text\/ascii\.ts$)/

  it('has an ASCII character for every sign in the sources, as wide as it', () => {
    const found = ['', '../packages/subagents/src']
      .flatMap((folder) =>
        readdirSync(join(top, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
          posix.join(folder, name),
        ),
      )
      .filter((name) => name.endsWith('.ts') && !OTHERS.test(name))
      .flatMap(
        (name) =>
          readFileSync(join(top, name), 'utf8')
            .replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')
            .match(/[^\x00-\x7f]/gu) ?? [],
      )
    const signs = [...new Set(found)]
    expect(signs.length).toBeGreaterThan(40)
    for (const sign of signs) {
      expect(toAscii(sign), sign).toMatch(/^[ -~]+$/)
      expect(displayWidth(toAscii(sign)), sign).toBe(displayWidth(sign))
    }
    expect(toAscii('Zoë 日本 \u001b[31m')).toBe('Zoë 日本 \u001b[31m')
  })

  it.each([
    [{ LANG: 'C' }, false],
    [{ LANG: 'en_US.UTF-8', LC_ALL: 'C' }, false],
    [{ LANG: 'POSIX' }, false],
    [{ LANG: 'de_DE.UTF-8', LC_CTYPE: 'de_DE.ISO-8859-1' }, false],
    [{ LANG: 'de_DE' }, false],
    [{}, true],
    [{ LANG: '' }, true],
    [{ LANG: 'C.UTF-8' }, true],
    [{ LANG: 'C', LC_ALL: 'en_US.utf8' }, true],
    [{ LANG: 'C', LC_CTYPE: 'UTF-8' }, true],
  ])('in the locale %j Unicode is %s', async (variables, unicode) => {
    const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text)
    for (const argv of [['--help'], ['demo', '--help'], ['tree', '--nothing']]) {
      const { out, err } = await runIn(variables, ...argv)
      if (!unicode) expect(isAscii(out + err), out + err).toBe(true)
    }
    expect(isAscii((await runIn(variables, 'demo', '--help')).out)).toBe(!unicode)
    expect((await runIn(variables, 'tree', '--nothing')).err).toMatch(
      unicode ? /^✗ unknown option/ : /^x unknown option/,
    )
  })

  it.each([
    [{}, [], false],
    [{ FORCE_COLOR: '1' }, [], true],
    [{ FORCE_COLOR: 'true' }, [], true],
    [{ FORCE_COLOR: '3', TERM: 'dumb' }, [], true],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, [], true],
    [{ FORCE_COLOR: '1' }, ['--no-color'], false],
    [{ FORCE_COLOR: '0' }, [], false],
    [{ FORCE_COLOR: 'false' }, [], false],
    [{ FORCE_COLOR: '' }, [], false],
    [{ NO_COLOR: '1' }, [], false],
  ] as const)(
    'with %j and %j where nothing is a terminal, colour is %s',
    async (variables, argv, colored) => {
      // Fails in what is behind it, with words on stderr.
      const { err } = await runIn(variables, ...argv, 'tree')
      expect(err).toContain('✗')
      // oxlint-disable-next-line no-control-regex -- colours are what this is about
      expect(/\x1b\[31m/.test(err)).toBe(colored)
    },
  )

  it.each([
    [{}, true],
    [{ NO_COLOR: '1' }, false],
    [{ TERM: 'dumb' }, false],
    [{ FORCE_COLOR: '0' }, false],
  ])(
    'with %j on a terminal, colour is %s; what is no terminal stays without',
    async (variables, colored) => {
      const streams = { stdout: { isTTY: true, columns: 40 }, stderr: { isTTY: false } }
      const { err } = await runOn(streams, variables, 'tree')
      expect(err).not.toContain('\u001b')
      const other = await runOn(
        { stdout: { isTTY: false }, stderr: { isTTY: true } },
        variables,
        'tree',
      )
      expect(other.err.includes('\u001b[31m')).toBe(colored)
    },
  )

  it('JSON says all of Unicode in ASCII where the locale has no more', async () => {
    const { out } = await runIn({ LANG: 'C' }, 'tree', '--json', '--nöthing')
    expect(out).toMatch(/^[\x00-\x7f]+$/)
    expect(JSON.parse(out).error).toContain('--nöthing')
  })
})

describe('the command line', () => {
  it('helps, at every level, without touching anything', async () => {
    const top = await run('--help')
    expect(top).toMatchObject({ code: 0, err: '' })
    for (const command of COMMANDS)
      if (command.hidden !== true) expect(top.out).toContain(command.summary)
    expect((await run()).out).toBe(top.out)
    expect((await run('help', 'spawn')).out).toBe((await run('spawn', '--help')).out)
    expect((await run('pr', 'review', '--help')).out).toContain('--request-changes')
    for (const line of top.out.split('\n')) expect(line.length).toBeLessThanOrEqual(100)
  })

  it.each([
    [['tre'], 'Did you mean tree?'],
    [['tree', '--wach'], 'Did you mean --watch?'],
    [['down', 'superfluous'], 'too many arguments'],
    [['kill'], 'Name the agents to kill, or give --done'],
    [['pr', 'list', '--state', 'odd'], 'Allowed choices are open, merged, closed, all'],
    [['spawn', 'workers'], 'No task'],
    [['pr', 'review', '3'], 'Give one of --approve'],
    [['pr', 'review', '3', '--comment', '--at', 'x'], 'expected "path:line text"'],
    [['call', 'tree', '{'], 'The input is not JSON'],
    [['note', ' '], 'The message is empty'],
    [['resume'], 'exomonad resume --all'],
    [['daemon', 'logs', '-n', 'abc'], '--lines abc: expected a whole number'],
    [['events', '--last', '-3'], '--last -3: expected a whole number'],
  ])('says what is wrong with %j, and ends with 2', async (argv, words) => {
    const result = await run(...argv)
    expect(result.code).toBe(2)
    expect(result.err).toContain(words)
    expect(result.err).not.toMatch(/^ +at /m)
  })

  it.each([
    [['pr', 'file'], '`exomonad pr file --help`'],
    [['pr', 'view'], '`exomonad pr --help`'],
    [['radar', '--bogus'], '`exomonad radar --help`'],
    [['bogus'], '`exomonad help`'],
  ])('points from %j to the help of that very command', async (argv, words) => {
    expect((await run(...argv)).err).toContain(words)
  })

  it('answers bad usage as JSON too, where JSON is asked for', async () => {
    expect(JSON.parse((await run('kill', '--json')).out)).toMatchObject({
      code: 'INVALID_ARG',
      error: expect.stringContaining('agent'),
    })
    expect(JSON.parse((await run('call', 'tree', '{')).out)).toMatchObject({ code: 'INVALID_ARG' })
  })

  it('reports a failure in words on stderr, as JSON on stdout, and ends with 1', async () => {
    const result = await run('tree', '--json')
    expect(result.code).toBe(1)
    expect(JSON.parse(result.out)).toMatchObject({ code: 'INTERNAL' })
    expect(result.err).toMatch(/^✗ .*inspectRepository was called.*\(INTERNAL\)\n$/)
  })
})

describe('the program file', () => {
  it('says in one line that Node is too old', () => {
    const old =
      'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.19.0"}})'
    const result = spawnSync(process.execPath, ['--import', old, BIN, '--help'], {
      encoding: 'utf8',
    })
    expect(result.status).toBe(1)
    expect(result.stdout).toBe('')
    expect(result.stderr).toMatch(
      /^exomonad needs Node 22\.14 or newer; this is 20\.19\.0 \(.*\)\. Install a newer one.*\n$/,
    )
  })

  it('loads none of the heavy libraries to help, or to speak with the daemon', () => {
    const folder = mkdtempSync(join(tmpdir(), 't-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const tracer = join(folder, 'trace.mjs')
    writeFileSync(
      tracer,
      `import { registerHooks } from 'node:module'
       const seen = []
       registerHooks({ load: (url, context, next) => (seen.push(url), next(url, context)) })
       process.on('exit', () => process.stderr.write('LOADED ' + JSON.stringify(seen)))`,
    )
    const loaded = (...argv: string[]): string[] => {
      const env = {
        PATH: process.env['PATH'] ?? '',
        HOME: folder,
        EXOMONAD_SOCKET: join(folder, 'none'),
        EXOMONAD_TOKEN: 't',
      }
      const { stderr } = spawnSync(process.execPath, ['--import', tracer, BIN, ...argv], {
        encoding: 'utf8',
        cwd: folder,
        env,
      })
      return JSON.parse(stderr.slice(stderr.indexOf('LOADED ') + 7)) as string[]
    }
    for (const argv of [['--help'], ['call', 'tree'], ['tree'], ['note', 'x'], ['ack', 'm-1']]) {
      const urls = loaded(...argv)
      const packages = new Set(
        urls.flatMap((url) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []),
      )
      expect([...packages], argv.join(' ')).toEqual(['commander'])
      expect(urls).not.toContain('node:http')
    }
    // It runs before each prompt.
    const urls = loaded('status', '--short')
    expect(urls.filter((url) => /node_modules|tool-specs|node:(http|crypto)/.test(url))).toEqual([])
  })
})

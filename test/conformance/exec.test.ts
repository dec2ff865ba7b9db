import fc from 'fast-check'
import {
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { exec as direct, type Exec } from '../../src/processes/exec.ts'
import { createForkServer } from '../../src/processes/fork-server/fork-server.ts'
import { isAlive } from '../helpers/processes.ts'
import { waitFor } from '../helpers/wait-for.ts'

const PATH = process.env['PATH'] ?? '/usr/bin:/bin'
const env = { PATH }

function forkServer(options: Parameters<typeof createForkServer>[0] = {}): {
  readonly exec: Exec
  readonly dispose: () => void
  /** How many commands were run as ever. */
  readonly directly: () => number
} {
  let count = 0
  const server = createForkServer({
    direct: (...args) => {
      count += 1
      return direct(...args)
    },
    ...options,
  })
  onTestFinished(server.dispose)
  return { ...server, directly: () => count }
}

const shared = createForkServer()
afterAll(shared.dispose)

function tempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 't-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

describe.each([
  ['directly', direct],
  ['by the fork server', shared.exec],
])('a command that is run %s', (_, exec) => {
  it('gives what it wrote and how it ended', async () => {
    expect(
      await exec('sh', ['-c', 'cat; echo "not this" >&2; exit 3'], { env, input: 'grüße\n' }),
    ).toEqual({
      exitCode: 3,
      signal: null,
      stdout: 'grüße\n',
      stderr: 'not this\n',
      timedOut: false,
      startError: null,
    })
  })

  it('has nothing to read where nothing is given', async () => {
    expect(await exec('cat', [], { env })).toMatchObject({ exitCode: 0, stdout: '' })
  })

  it('runs in its folder, with the variables it is given and no others', async () => {
    const cwd = tempFolder()
    const odd = { PATH, A: `it's "$HOME" \`x\`\n\\ 雨`, EMPTY: '' }
    const { stdout } = await exec('env', ['-0'], { env: odd, cwd })
    const given = stdout.split('\0').filter((entry) => entry !== '')
    expect(given.toSorted()).toEqual(
      Object.entries(odd)
        .map(([name, value]) => `${name}=${value}`)
        .toSorted(),
    )
    expect((await exec('pwd', ['-P'], { env, cwd })).stdout).toBe(`${cwd}\n`)
  })

  it('has none of the variables of the one before', async () => {
    await exec('true', [], { env: { ...env, BEFORE: '1' } })
    expect((await exec('env', [], { env })).stdout).not.toContain('BEFORE')
  })

  it('gets its arguments as they are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', ''))),
        async (args) => {
          const { stdout } = await exec('printf', ['%s\\0', ...args, 'end'], { env })
          expect(stdout.split('\0')).toEqual([...args, 'end', ''])
        },
      ),
      { numRuns: 30 },
    )
  })

  it('may write much', async () => {
    const { stdout, exitCode } = await exec('head', ['-c', '3000000', '/dev/zero'], { env })
    expect([exitCode, stdout.length]).toEqual([0, 3_000_000])
  })

  it('may have many beside it, each with its own output', async () => {
    const numbers = Array.from({ length: 60 }, (__, index) => String(index))
    const results = await Promise.all(numbers.map((number) => exec('echo', [number], { env })))
    expect(results.map(({ stdout }) => stdout.trim())).toEqual(numbers)
  })

  it('is ended when its time is up, and that is said', async () => {
    expect(await exec('sleep', ['600'], { env, timeout: 100 })).toMatchObject({
      exitCode: null,
      signal: 'SIGTERM',
      timedOut: true,
    })
  })

  it('is ended when it is aborted, and not before', async () => {
    const abort = new AbortController()
    const folder = tempFolder()
    const started = join(folder, 'started')
    const ended = exec('sh', ['-c', `echo $$ >${started}; exec sleep 600`], {
      env,
      signal: abort.signal,
    })
    const pid = await waitFor(
      'it to start',
      () => Number(readFileSync(started, 'utf8')) || undefined,
    )
    expect(isAlive(pid)).toBe(true)
    abort.abort()
    expect((await ended).exitCode).toBeNull()
    await waitFor('it to be gone', () => !isAlive(pid))
  })

  it('says which signal ended it', async () => {
    expect(await exec('sh', ['-c', 'kill -KILL $$'], { env })).toMatchObject({
      exitCode: null,
      signal: 'SIGKILL',
      timedOut: false,
    })
  })

  it.each([
    ['there is no such program', 'no-such-program', [], undefined, 'ENOENT'],
    ['there is no such folder', 'true', [], '/no/such/folder', 'ENOENT'],
    ['its arguments are too long', 'true', ['x'.repeat(3_000_000)], undefined, 'E2BIG'],
  ])('says that it did not start where %s', async (__, file, args, cwd, startError) => {
    const options = cwd === undefined ? { env } : { env, cwd }
    expect(await exec(file, args, options)).toMatchObject({ exitCode: null, startError })
  })
})

describe.runIf(process.platform === 'linux')('the fork server', () => {
  it('runs commands itself, and those as ever that need a group of their own or odd variables', async () => {
    const { exec, directly } = forkServer()
    await exec('true', [], { env })
    await exec('true', [], { env, input: 'x', timeout: 10_000 })
    expect(directly()).toBe(0)
    await exec('true', [], { env, group: true })
    expect((await exec('env', [], { env: { ...env, 'a.b': '1' } })).stdout).toContain('a.b=1')
    expect(directly()).toBe(2)
  })

  it('runs commands as ever on other systems, and after its end', async () => {
    const elsewhere = forkServer({ platform: 'darwin' })
    expect((await elsewhere.exec('echo', ['a'], { env })).stdout).toBe('a\n')
    expect(elsewhere.directly()).toBe(1)
    const here = forkServer()
    await here.exec('true', [], { env })
    here.dispose()
    expect((await here.exec('echo', ['a'], { env })).stdout).toBe('a\n')
    expect(here.directly()).toBe(1)
  })

  it('goes on with another shell where its own was killed; what runs then is heard to its end', async () => {
    const { exec, directly } = forkServer()
    const before = new Set(shells())
    const folder = tempFolder()
    const go = join(folder, 'go')
    await exec('mkfifo', [go], { env })
    const started = join(folder, 'started')
    const underWay = exec('sh', ['-c', `: >${started}; read line <${go}; echo "$line"`], { env })
    await waitFor('it to start', () => existsSync(started))
    const shell = await waitFor('its shell', () => shells().find((pid) => !before.has(pid)))
    process.kill(shell, 'SIGKILL')
    await waitFor('it to be gone', () => !isAlive(shell))
    await exec('sh', ['-c', `echo on >${go}`], { env })
    expect(await underWay).toMatchObject({ exitCode: 0, stdout: 'on\n' })
    expect((await exec('echo', ['again'], { env })).stdout).toBe('again\n')
    // The one that was sent while it died.
    expect(directly()).toBeLessThanOrEqual(1)
  })

  it('neither begins what it has given up, nor writes into what has its number by then', async () => {
    const { exec } = forkServer({ grace: 100 })
    const before = new Set(shells())
    await exec('true', [], { env })
    const shell = await waitFor('its shell', () => shells().find((pid) => !before.has(pid)))
    process.kill(shell, 'SIGSTOP')
    const folder = tempFolder()
    const late = join(folder, 'late')
    const command = exec('sh', ['-c', `: >${late}; echo late`], { env, timeout: 50 })
    expect(await command).toMatchObject({ exitCode: null, timedOut: true })
    const files = Array.from({ length: 40 }, (_, index) => join(folder, String(index)))
    for (const file of files) writeFileSync(file, 'as it was')
    const open = files.map((file) => openSync(file, 'r'))
    onTestFinished(() => open.forEach((fd) => closeSync(fd)))
    try {
      process.kill(shell, 'SIGCONT')
    } catch {
      // It is gone.
    }
    await waitFor('the shell to be gone', () => !isAlive(shell))
    expect((await exec('echo', ['next'], { env })).stdout).toBe('next\n')
    expect(existsSync(late)).toBe(false)
    for (const file of files) expect(readFileSync(file, 'utf8')).toBe('as it was')
  })

  it('says that a command was killed where the shell that waits for it was', async () => {
    const { exec } = forkServer()
    const before = new Set(shells())
    const underWay = exec('sleep', ['600'], { env })
    const shell = await waitFor('its shell', () => shells().find((pid) => !before.has(pid)))
    const [outer, job] = await waitFor('it to start', () => {
      const [first] = children(shell)
      const [second] = first === undefined ? [] : children(first)
      return second !== undefined && [Number(first), second]
    })
    onTestFinished(() => void process.kill(Number(job), 'SIGKILL'))
    process.kill(Number(outer), 'SIGKILL')
    expect(await underWay).toMatchObject({ exitCode: null, signal: 'SIGKILL' })
  })

  it('ends what writes more than is kept, and says so', async () => {
    const { exec } = forkServer()
    // So much and no more, or a slow machine would have no room left.
    const writes = 'head -c 100000001 /dev/zero; exec sleep 600'
    expect(await exec('sh', ['-c', writes], { env })).toMatchObject({
      exitCode: null,
      startError: 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER',
    })
  })

  it('leaves no process and no file behind, ended commands included', async () => {
    const { exec, dispose } = forkServer()
    const before = new Set(shells())
    await Promise.all(Array.from({ length: 20 }, () => exec('true', [], { env })))
    const shell = await waitFor('its shell', () => shells().find((pid) => !before.has(pid)))
    await waitFor('all to be collected', () => children(shell).length === 0)
    expect(
      readdirSync(tmpdir()).filter((name) => name.startsWith(`exomonad-${process.pid}-`)),
    ).toEqual([])
    const underWay = exec('sleep', ['600'], { env })
    const [job] = await waitFor('it to start', () => {
      const found = children(shell).flatMap(children)
      return found.length > 0 && found
    })
    dispose()
    await underWay
    await waitFor('all to be gone', () => ![shell, Number(job)].some(isAlive))
  })
})

it.runIf(process.platform === 'linux' && hasNamelessFiles(tmpdir()))(
  'the fork server has no file with a name, which a kill could leave behind',
  async () => {
    const folder = tempFolder()
    vi.stubEnv('TMPDIR', folder)
    onTestFinished(() => void vi.unstubAllEnvs())
    const seen: (string | null)[] = []
    // Writing into one is an event as well; that one came or went is this.
    const watcher = watch(folder, (event, name) => event === 'rename' && seen.push(name))
    onTestFinished(() => watcher.close())
    const { exec, directly } = forkServer()
    for (const input of [undefined, 'some words'])
      expect(await exec('cat', [], { env, ...(input !== undefined && { input }) })).toMatchObject({
        exitCode: 0,
        stdout: input ?? '',
      })
    expect(directly()).toBe(0)
    writeFileSync(join(folder, 'last'), '')
    await waitFor('what happened in the folder', () => seen.includes('last'))
    expect(new Set(seen)).toEqual(new Set(['last']))
  },
)

/** Whether the file system can make files that never have a name (O_TMPFILE). */
function hasNamelessFiles(folder: string): boolean {
  try {
    closeSync(openSync(folder, constants.O_RDWR | constants.O_DIRECTORY | 0o20000000, 0o600))
    return true
  } catch {
    process.stderr.write(`skipped, files in ${folder} can’t be without a name\n`)
    return false
  }
}

/** Of this process. */
const shells = (): number[] =>
  children(process.pid).filter((pid) =>
    readFileSync(`/proc/${String(pid)}/cmdline`, 'latin1').startsWith('/bin/sh'),
  )

function children(pid: number): number[] {
  try {
    return readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8')
      .split(' ')
      .filter((text) => text !== '')
      .map(Number)
  } catch {
    return []
  }
}

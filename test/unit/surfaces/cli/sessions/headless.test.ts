import { readFileSync } from 'node:fs'
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ExomonadError } from '../../../../../src/domain/errors.ts'
import { createOutputFile } from '../../../../../src/processes/host/output-file.ts'
import { resume, status, up } from '../../../../../src/surfaces/cli/agents/agent-commands.ts'
import { followOutput } from '../../../../../src/surfaces/cli/agents/follow-output.ts'
import * as run from '../../../../../src/surfaces/cli/sessions/run.ts'
import {
  llm,
  piecesOf,
  result,
  stdin,
} from '../../../../../src/surfaces/cli/sessions/session-commands.ts'
import { waitFor } from '../../../../helpers/wait-for.ts'
import { fakeRun, type FakeOptions } from '../fake-context.ts'

const HOSTILE = 'done\u001b[2J\nall of it'
const spawned = { agent_id: 'id-1', status: 'spawned' }
const standing = {
  agent_id: 'id-1',
  name: 'npm-test',
  kind: 'process',
  parent_id: null,
  depth: 1,
  status: 'running',
  spawned_at: '1970-01-01T00:00:00.000Z',
  completed_at: null,
  tool_calls: 0,
  tokens: 0,
  waits: [],
}
const ended = {
  agent_id: 'id-1',
  status: 'completed',
  summary: 'Two are missing.',
  output: HOSTILE,
  files_modified: ['a.ts', 'b.ts'],
  elapsed_secs: 72.4,
}

describe('exomonad run', () => {
  const tools = { spawn_background_task: () => spawned, agent_status: () => standing }

  it('gives one word to the shell as it is, and several as the words they are', async () => {
    const line = fakeRun(run, { tools })
    await line.run('npm test | tee "a b"')
    expect(line.calls[0]).toEqual({
      tool: 'spawn_background_task',
      input: { command: 'npm test | tee "a b"' },
    })
    expect(line.said.out).toMatch(
      /^✓ Started npm-test id-1\nexomonad logs npm-test -f .*exomonad result npm-test/,
    )
    const words = fakeRun(run, { tools, json: true })
    await words.run('--', 'grep', '-r', 'it’s $HOME', '.')
    expect(words.calls[0]?.input).toEqual({ command: "grep -r 'it’s $HOME' ." })
    expect(JSON.parse(words.said.out)).toEqual(spawned)
  })

  it('takes options of the command only behind --, and no empty command', async () => {
    await expect(fakeRun(run, { tools }).run('npm', 'test', '--silent')).rejects.toThrow(
      'unknown option',
    )
    await expect(fakeRun(run, { tools }).run(' ')).rejects.toThrow('The command is empty')
  })

  const waited = (
    facts: object,
    answer: object = {},
    json = true,
  ): Promise<ReturnType<typeof fakeRun>['said']> => {
    let looks = 0
    const node = { id: 'id-1', exit_code: null, exit_signal: null, children: [], ...facts }
    const options: FakeOptions = {
      json,
      tools: {
        ...tools,
        agent_status: () => {
          if (++looks === 1) throw new ExomonadError('DAEMON_UNAVAILABLE', 'It is away.')
          return { ...standing, status: looks < 3 ? 'running' : 'completed' }
        },
        agent_result: () => {
          if (++looks < 6)
            throw new ExomonadError(
              'RESULT_NOT_READY',
              'No result available (agent may still be running)',
            )
          return { ...ended, ...answer }
        },
        tree: () => ({ root: { id: 'root', children: [node] } }),
      },
    }
    const one = fakeRun(run, options)
    return one.run('--wait', 'make').then(() => one.said)
  }

  it('waits with --wait through a restart of the daemon, and exits as its command did', async () => {
    const failed = await waited({ exit_code: 3 }, { status: 'failed' })
    expect(failed.code).toBe(3)
    expect(JSON.parse(failed.out)).toMatchObject({
      agent_id: 'id-1',
      status: 'failed',
      exit_code: 3,
      files_modified: ['a.ts', 'b.ts'],
    })
    expect((await waited({ exit_code: 0 })).code).toBe(0)
    expect((await waited({ exit_signal: 'SIGTERM' }, { status: 'killed' })).code).toBe(143)
    expect((await waited({}, { status: 'failed' })).code).toBe(1)
  })

  it('leaves it running at Ctrl-C, and says how to get back', async () => {
    const { run: go, said, calls, interrupt } = fakeRun(run, { tools, json: true })
    const done = go('--wait', 'make')
    await waitFor('a look', () => calls.some(({ tool }) => tool === 'agent_status'))
    interrupt()
    await done
    expect(said).toEqual({
      out: '',
      err: 'npm-test runs on: exomonad logs npm-test -f follows it, exomonad kill npm-test ends it.\n',
      failed: true,
    })
  })
})

describe('following what is written to a file', () => {
  it('prints whole lines as they come, all that was written at the end, and lets nothing drive the terminal', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'exomonad-follow-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'out.log')
    let out = ''
    const stream = { write: (text: string, done?: () => void) => ((out += text), done?.(), true) }
    const over = new AbortController()
    const following = followOutput(stream, file, {
      written: over.signal,
      given: new AbortController().signal,
    })
    await writeFile(file, 'one\ntw')
    await waitFor('the first line', () => out !== '')
    expect(out).toMatch(/^one\n(tw)?$/)
    await appendFile(file, 'o\u001b[2J\u0007\n日本')
    await waitFor(
      'the second, and a question that waits for its answer',
      () => out === 'one\ntwo\n日本',
    )
    const flood = Array.from({ length: 100_000 }, (_, index) => `line ${index}`).join('\n')
    await appendFile(file, `語\n${flood}`)
    over.abort()
    await following
    expect(out).toBe(`one\ntwo\n日本語\n${flood}\n`)
  })

  it('goes on where it was when the file loses its middle, and prints for what it missed that it is gone', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'exomonad-follow-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'out.log')
    const bound = 60_000
    const output = createOutputFile(file, () => expect.fail('no trouble'), bound)
    let out = ''
    let held: (undefined | (() => void))[] | undefined
    const stream = {
      write: (text: string, done?: () => void) => (
        (out += text),
        held === undefined ? done?.() : held.push(done),
        true
      ),
    }
    const over = new AbortController()
    const following = followOutput(stream, file, {
      written: over.signal,
      given: new AbortController().signal,
    })
    let written = 0
    /** So many lines of 100 bytes, each with its number. */
    const write = async (lines: number): Promise<void> => {
      for (const end = written + lines; written < end; written += 1)
        output.write(Buffer.from(`${String(written).padStart(99, '0')}\n`))
      await output.drained()
    }
    const seen = (number: number): boolean => out.includes(`${String(number).padStart(99, '0')}\n`)
    // Several cuts while it keeps up: nothing is missing.
    for (let round = 0; round < 30; round++) {
      await write(200)
      await waitFor('what was written', () => seen(written - 1))
    }
    expect(out.split('\n').slice(0, -1).map(Number)).toEqual(
      Array.from({ length: written }, (_, number) => number),
    )
    // Held up by its reader, it misses some, and says how much.
    const waiting: typeof held = []
    held = waiting
    const before = out.length
    await write(2000)
    for (let round = 0; round < 5; round++) {
      await write(2000)
      await waitFor('all to be on disk', () =>
        readFileSync(file, 'utf8').includes(String(written - 1)),
      )
    }
    await output.close()
    over.abort()
    held = undefined
    for (const done of waiting) done?.()
    await following
    const late = out.slice(before).split('\n').slice(0, -1)
    expect(late.some((one) => /^\[exomonad\] +\d+ bytes are gone here/.test(one))).toBe(true)
    const numbers = late.filter((one) => !one.startsWith('[exomonad]')).map(Number)
    expect(
      numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0)),
      numbers.slice(0, 20).join(),
    ).toBe(true)
    expect(numbers.at(-1)).toBe(written - 1)
    expect(new Set(numbers).size).toBe(numbers.length)
  })
})

describe('exomonad llm', () => {
  const tools = {
    spawn_llm_session: () => spawned,
    agent_status: () => ({ ...standing, name: 'tests', kind: 'llm' }),
  }

  it('starts a session with what it is given to know, and only the tools that are named', async () => {
    const {
      run: go,
      calls,
      said,
    } = fakeRun(llm, { tools, input: 'Which functions\nhave no test?\n' })
    await go(
      '-',
      '--model',
      'small',
      '--timeout',
      '10m',
      '--tool',
      'note',
      '--tool',
      'send',
      '--context',
      'branch=main',
      '--context',
      'query=a=b',
    )
    expect(calls[0]?.input).toEqual({
      goal: 'Which functions\nhave no test?',
      model: 'small',
      timeout_secs: 600,
      tools: ['note', 'send'],
      context: { branch: 'main', query: 'a=b' },
    })
    expect(said.out).toContain('✓ Started tests id-1\n')
    const bare = fakeRun(llm, { tools })
    await bare.run('Look', 'around')
    expect(bare.calls[0]?.input).toEqual({ goal: 'Look around' })
  })

  it('refuses a time or a fact that is none', async () => {
    await expect(fakeRun(llm, { tools }).run('x', '--timeout', 'soon')).rejects.toThrow(
      'expected seconds, or a duration',
    )
    await expect(fakeRun(llm, { tools }).run('x', '--timeout', '0')).rejects.toThrow(
      '--timeout 0: expected at least 1',
    )
    await expect(fakeRun(llm, { tools }).run('x', '--context', 'branch')).rejects.toThrow(
      'expected KEY=VALUE',
    )
    await expect(fakeRun(llm, { tools }).run(' ')).rejects.toThrow('The goal is empty')
  })

  it('prints with --wait the answer alone, and how it went beside it', async () => {
    const over = {
      ...tools,
      agent_status: () => ({ ...standing, name: 'tests', status: 'completed' }),
      agent_result: () => ended,
    }
    const done = fakeRun(llm, { tools: over })
    await done.run('--wait', 'Look')
    expect(done.said).toEqual({
      out: 'done\nall of it\n',
      err: '✓ completed tests after 1m: Two are missing.\nchanged: a.ts, b.ts\n',
      failed: false,
    })
    const failed = fakeRun(llm, {
      tools: {
        ...over,
        agent_result: () => ({ ...ended, status: 'failed', summary: 'It took too long.' }),
      },
      json: true,
    })
    await failed.run('--wait', 'Look')
    expect(failed.said).toMatchObject({ err: '', failed: true })
    expect(JSON.parse(failed.said.out)).toMatchObject({ status: 'failed', output: HOSTILE })
  })
})

describe('exomonad status', () => {
  it('shows all as a table, or one', async () => {
    const rows = [
      { ...standing, spawned_at: new Date(-90_000).toISOString() },
      {
        ...standing,
        name: 'tests\u001b[2J',
        kind: 'llm',
        status: 'failed',
        spawned_at: new Date(-90_000).toISOString(),
        completed_at: new Date(-85_000).toISOString(),
        tool_calls: 12,
        tokens: 13_400,
      },
    ]
    const all = fakeRun(status, {
      tools: { agent_status: (input) => (expect(input).toEqual({}), { agents: rows }) },
    })
    await all.run()
    expect(all.said.out).toBe(
      [
        'NAME      KIND     STATUS     TIME  CALLS  TOKENS  ID',
        'npm-test  process  ◐ running    1m      0       0  id-1',
        'tests     llm      ✗ failed     5s     12     13k  id-1',
        '',
      ].join('\n'),
    )
    const one = fakeRun(status, {
      tools: { agent_status: (input) => (expect(input).toEqual({ agent_id: 'npm' }), rows[0]) },
      json: true,
    })
    await one.run('npm')
    expect(JSON.parse(one.said.out)).toEqual(rows[0])
    const none = fakeRun(status, { tools: { agent_status: () => ({ agents: [] }) } })
    await none.run()
    expect(none.said.out).toBe('No agents\n')
    await expect(fakeRun(status, { tools: {} }).run('--watch')).rejects.toThrow('needs a terminal')
  })
})

describe('exomonad result', () => {
  it('prints how it ended, what it changed and what it wrote, and says nothing twice', async () => {
    const full = fakeRun(result, {
      tools: { agent_result: (input) => (expect(input).toEqual({ agent_id: 'tests' }), ended) },
    })
    await full.run('tests')
    expect(full.said.out).toBe(
      '✓ completed tests after 1m: Two are missing.\nchanged: a.ts, b.ts\n\ndone\nall of it\n',
    )
    const short = fakeRun(result, {
      tools: {
        agent_result: () => ({
          ...ended,
          status: 'failed',
          summary: 'No.',
          output: 'No.',
          files_modified: [],
        }),
      },
    })
    await short.run('tests')
    expect(short.said.out).toBe('✗ failed tests after 1m\n\nNo.\n')
  })
})

describe('exomonad stdin', () => {
  it('writes words or standard input, and prints how much', async () => {
    const tools = {
      write_stdin: ({ data }: { data: string }) => ({ written_bytes: Buffer.byteLength(data) + 1 }),
    }
    const words = fakeRun(stdin, { tools })
    await words.run('repl', 'print', '1')
    expect(words.calls).toEqual([
      { tool: 'write_stdin', input: { agent_id: 'repl', data: 'print 1' } },
    ])
    expect(words.said.out).toBe('✓ Wrote 8 bytes to repl\n')
    const piped = fakeRun(stdin, { tools, input: 'a\n\nb\n', json: true })
    await piped.run('repl', '-')
    expect(piped.calls[0]?.input).toEqual({ agent_id: 'repl', data: 'a\n\nb' })
    expect(JSON.parse(piped.said.out)).toEqual({ written_bytes: 5 })
    await expect(fakeRun(stdin, { tools }).run('repl', '')).rejects.toThrow('The data is empty')
  })

  it('cuts what is long between lines, and loses nothing', () => {
    for (const data of ['', 'a', 'aaaa\nbb\n\ncccccccccc\nd', '\n\n\n', 'x'.repeat(50)]) {
      for (const size of [1, 3, 5, 100]) expect([...piecesOf(data, size)].join('\n')).toBe(data)
    }
    expect([...piecesOf('aa\nbb\ncc', 5)]).toEqual(['aa\nbb', 'cc'])
  })
})

describe('an agent that was launched without a terminal', () => {
  it.each([
    ['r-0a1b2c3d', 'without a terminal'],
    ['%3', 'in pane %3'],
  ])('by the pane %s is said to run %s', async (pane, words) => {
    const launched = fakeRun(up, {
      tools: { up: () => ({ agent_id: 'id-1', pane, already: false, warnings: [] }) },
    })
    await launched.run('Build it')
    expect(launched.said.out).toContain(`✓ The root’s agent runs ${words}\n`)
    const again = fakeRun(resume, {
      tools: {
        resume: () => ({
          resumed: [{ name: 'auth', session: 'resumed', pane, warnings: [] }],
          errors: [],
        }),
      },
    })
    await again.run('auth')
    expect(again.said.out).toBe(`✓ auth resumed session, ${words}\n`)
  })
})

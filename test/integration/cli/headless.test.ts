import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openConsole } from '../../helpers/console.ts'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { describeWith } from '../../helpers/terminals/require-tool.ts'
import { openTerminal } from '../../helpers/terminals/terminal.ts'
import { waitFor } from '../../helpers/wait-for.ts'

const LIMIT = { limit: 60_000 }
const AGENT = join(import.meta.dirname, '..', '..', 'fixtures', 'acp', 'scripted-agent.ts')
const UUID = /[0-9a-f]{8}-[0-9a-f-]{27}/

let tree: Exomonad
beforeAll(async () => {
  tree = await startExomonad({
    config: `[acp.scripted]
command = [${JSON.stringify(process.execPath)}, ${JSON.stringify(AGENT)}]
[headless]
acp = "scripted"
[limits]
max_live_headless = 100
`,
  })
})
afterAll(() => tree?.stop())

/** A goal that the scripted agent does. */
const goal = (...steps: readonly string[]): string => ['script:', ...steps].join('\n')
const ended = (name: string) =>
  waitFor(
    `the end of ${name}`,
    async () => ['completed', 'failed', 'killed'].includes((await tree.agent(name))?.state),
    LIMIT,
  )

describe('exomonad run', () => {
  it('prints with --wait what the command writes, and exits as it did', async () => {
    const ran = await tree.run([
      'run',
      '--wait',
      'echo one; echo two >&2; printf "three "; echo 四; exit 3',
    ])
    expect(ran.code).toBe(3)
    expect(ran.stdout.split('\n').toSorted()).toEqual(['', '[stderr] two', 'one', 'three 四'])
    expect(
      await tree.run(['run', '--wait', '--', 'printf', '%s\\n', 'it’s "$HOME"', '--json']),
    ).toMatchObject({ code: 0, stdout: 'it’s "$HOME"\n--json\n' })
    expect(await tree.run(['run', '--wait', 'kill -TERM $$'])).toMatchObject({ code: 143 })
    expect(await tree.command(['run', '--wait', 'no-such-program'])).toMatchObject({
      code: 127,
      stdout: expect.stringContaining('no-such-program'),
    })
  })

  it('loses nothing of what is written much faster than it is read', async () => {
    const flood = await tree.run([
      'run',
      '--wait',
      'i=0; while [ $i -lt 60 ]; do seq 1 10000; i=$((i+1)); done',
    ])
    expect(flood.code).toBe(0)
    expect(flood.stdout.length).toBe(
      60 * Array.from({ length: 10_000 }, (_, index) => `${index + 1}\n`).join('').length,
    )
  })

  it('prints with --json the result and how it ended', async () => {
    const file = `written-${Date.now()}`
    const ran = await tree.command(['run', '--wait', '--json', `echo done > ${file}; echo said`])
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.json).toMatchObject({
      status: 'completed',
      exit_code: 0,
      exit_signal: null,
      files_modified: [file],
      output: expect.stringContaining('said'),
    })
  })

  it('leaves a command to be asked, answered, looked at and ended', async () => {
    const started = await tree.run([
      'run',
      'while read -r line; do echo "input: $line"; test "$line" = end && exit 0; done',
    ])
    expect(started.stdout).toMatch(
      new RegExp(`^✓ Started while-read ${UUID.source}\\n.*exomonad logs while-read -f`),
    )
    const early = await tree.command(['result', 'while-read', '--json'])
    expect(early).toMatchObject({
      code: 1,
      json: {
        code: 'RESULT_NOT_READY',
        error: expect.stringMatching(/^No result available \(agent may still be running\)/),
      },
    })
    expect(await tree.command(['stdin', 'while-read', 'a', 'page'])).toMatchObject({
      code: 0,
      stdout: '✓ Wrote 7 bytes to while-read\n',
    })
    expect(
      (await tree.run(['stdin', 'while-read', '-', '--json'], { input: 'two\nlines\n' })).json,
    ).toEqual({ written_bytes: 10 })
    await waitFor(
      'what it read',
      async () =>
        (await tree.command(['logs', 'while-read'])).stdout ===
        'input: a page\ninput: two\ninput: lines\n',
      LIMIT,
    )

    expect(await tree.command(['send', 'while-read', 'hello'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('exomonad stdin'),
    })
    const status = await tree.command(['status', 'while-read'])
    expect(status.stdout).toMatch(
      new RegExp(
        `^NAME +KIND +STATUS +TIME +CALLS +TOKENS +ID\\nwhile-read +process +◐ running +\\d+[sm] +0 +0 +${UUID.source}\\n$`,
      ),
    )
    expect((await tree.command(['tree'])).stdout).toMatch(
      /\(while-read\) +process +◐ running while read -r line/,
    )
    // A busy daemon is not waited for: whoever presses Tab once more has it.
    await waitFor(
      'the name to be completed',
      async () =>
        (await tree.command(['__complete', '--', 'kill', 'while-r'])).stdout ===
        'while-read\tprocess, running\n',
    )

    await tree.command(['stdin', 'while-read', 'end'])
    await ended('while-read')
    const result = await tree.command(['result', 'while-read'])
    expect(result.stdout).toMatch(
      /^✓ completed while-read after \d+[sm][^]*input: a page\ninput: two\ninput: lines\ninput: end\n$/,
    )
    expect((await tree.command(['result', 'while-read'])).stdout).toBe(result.stdout)
    expect(await tree.command(['stdin', 'while-read', 'more', '--json'])).toMatchObject({
      code: 1,
      json: { code: 'STDIN_CLOSED' },
    })
    expect(await tree.command(['kill', 'while-read', '--json'])).toMatchObject({
      code: 1,
      json: { code: 'ALREADY_DEAD' },
    })
    expect((await tree.command(['tree'])).stdout).toMatch(
      /\(while-read\) +process +✓ completed exit 0: while read/,
    )
  })

  it('ends with kill, by its name', async () => {
    await tree.command(['run', 'sleep', '1000'])
    expect(await tree.command(['kill', 'sleep-1000'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Killed sleep-1000'),
    })
    const all = await tree.command(['status', '--json'])
    expect(all.json.agents.find(({ name }: any) => name === 'sleep-1000')).toMatchObject({
      kind: 'process',
      status: 'killed',
      parent_id: null,
    })
  })
})

describe('exomonad llm', () => {
  it('prints with --wait the answer, and beside it how it went', async () => {
    const answered = await tree.run(['llm', '--wait', '-'], {
      input: goal('save notes.txt kept', 'say There are four.'),
    })
    expect(answered).toMatchObject({ code: 0, stdout: 'There are four.\n' })
    expect(answered.stderr).toMatch(/^✓ completed \S+ after \d+s/)
    expect(answered.stderr).toContain('changed: notes.txt')
    const failed = await tree.run([
      'llm',
      '--wait',
      '--json',
      goal('say as far as this', 'error no more credit'),
    ])
    expect(failed).toMatchObject({
      code: 1,
      json: { status: 'failed', output: expect.stringContaining('as far as this') },
    })
  })

  it('goes on beside, and keeps its answer to be asked for again', async () => {
    const { json } = await tree.command([
      'llm',
      '--json',
      '--context',
      'branch=main',
      goal('sleep 10', 'say done'),
    ])
    expect(json).toMatchObject({ status: 'spawned', agent_id: expect.stringMatching(UUID) })
    const { name } = (await tree.command(['status', json.agent_id, '--json'])).json
    await ended(name)
    for (const _ of [1, 2])
      expect((await tree.command(['result', json.agent_id, '--json'])).json).toMatchObject({
        status: 'completed',
        output: 'done',
      })
  })

  it('shows that it waits for a person, who decides', async () => {
    const { json } = await tree.command(['llm', '--json', goal('ask npm publish', 'say so it was')])
    const { name } = (await tree.command(['status', json.agent_id, '--json'])).json
    await waitFor(
      'the question to be seen',
      async () => /◇ waiting: your permission/.test((await tree.command(['tree'])).stdout),
      LIMIT,
    )
    // Its state changes first, then the question is put to people.
    const approvals = await waitFor('its approval', async () => {
      const asked = (await tree.command(['inbox', '--json'])).json.approvals
      return asked.length > 0 && asked
    })
    expect(approvals).toMatchObject([{ agent: name, what: expect.stringContaining('npm publish') }])
    expect(await tree.command(['approve', approvals[0].approval_id])).toMatchObject({ code: 0 })
    await ended(name)
    expect((await tree.command(['result', name])).stdout).toMatch(/allowed[^]*so it was/)
  })

  it('says what is wrong in words that help', async () => {
    const unknown = await tree.command(['llm', '--tool', 'no_such_tool', 'Look'])
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('no_such_tool') })
    expect(await tree.command(['result', 'nobody'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/✗ Agent not found/),
    })
    expect(await tree.command(['run', 'npm', '--silent'])).toMatchObject({ code: 2 })
  })
})

describeWith(['tmux'], 'on a terminal', () => {
  it('Ctrl-C leaves a command that is watched running', async () => {
    const terminal = await openTerminal(tree)
    await terminal.line(`clear; exomonad run --wait 'echo begun; exec sleep 1001'`)
    await terminal.until('its output', /^begun$/m)
    await terminal.key('C-c')
    const left = await terminal.until('the prompt', /^exit 1$/m)
    expect(left.replaceAll('\n', ' ')).toContain(
      'echo-begun runs on: exomonad logs echo-begun -f follows it',
    )
    expect((await tree.agent('echo-begun')).state).toBe('running')
    await tree.command(['kill', 'echo-begun'])
  })

  it('status --watch and llm --wait show what a session does, live', async () => {
    const going = join(tree.scripts, 'go-on')
    const terminal = await openTerminal(tree)
    await terminal.line(
      `clear; exomonad llm --wait "$(printf 'script:\\ntool search Login\\nrun until test -e ${going}; do sleep 0.1; done\\nsay All of it.')"`,
    )
    await terminal.until('its tool call', /◐|◓|◑|◒/)
    await terminal.until('the call before', /⎿ Login/)
    const watching = await openTerminal(tree)
    await watching.line('clear; exomonad status --watch')
    await watching.until('the session', /running[^\n]* · \d+s/)
    writeFileSync(going, '')
    // What the agent ran says `exit 0` too.
    const done = await terminal.until('the answer, and the prompt', /All of it\.\nexit 0$/m)
    expect(done).toMatch(/✓ completed \S+ after \d+[sm]\n(changed: [^\n]*\n)?exit 0\nAll/)
    expect(done).not.toContain('⎿')
    await watching.until('its end', /✓ completed/)
    await watching.key('C-c')
    await watching.until('the prompt', /exit 0$/m)
  })

  it('attach shows the stream of a session, and leaving it changes nothing', async () => {
    const going = join(tree.scripts, 'go-on-too')
    const { json } = await tree.command([
      'llm',
      '--json',
      goal('say I begin.', `run until test -e ${going}; do sleep 0.1; done`, 'say I end.'),
    ])
    const { name } = (await tree.command(['status', json.agent_id, '--json'])).json
    const terminal = await openTerminal(tree)
    await terminal.line(`clear; exomonad attach ${name}`)
    await terminal.until('what it said', /I begin\./)
    await terminal.key('C-c')
    await terminal.until('the prompt', /^exit 0$/m)
    expect((await tree.agent(name)).state).toBe('running')
    writeFileSync(going, '')
    await ended(name)
    expect((await tree.command(['result', name])).stdout).toContain('I end.')
  })

  it('the console shows a process, hands it what is typed, and how it ended', async () => {
    await tree.command(['run', 'cat -u'])
    const screen = await openConsole(tree, { args: ['cat'] })
    onTestFinished(() => screen.close())
    await screen.until(
      'the process',
      (text) => text.includes('◐ running cat -u') || /[◐◓◑◒] running cat -u/.test(text),
    )
    await screen.line('a line for it')
    await screen.until(
      'its echo',
      (text) => /^a line for it$/m.test(text) && text.includes('› a line for it'),
    )
    await screen.line('/kill')
    await screen.until('the question', (text) => text.includes('Kill cat? y: yes'))
    await screen.type('y')
    await screen.until('its end', (text) => /✗ killed by the human · \d\d:\d\d/.test(text))
    await screen.key('C-d')
    expect(await screen.ended()).toBe(0)
  })
})

it('down ends what has one task for good, and says so', async () => {
  const own = await startExomonad()
  onTestFinished(() => own.stop())
  await own.command(['run', 'sleep 1002'])
  const down = await own.run(['down'])
  expect(down.stdout).toContain(
    '1 agent and the daemon stopped; all work stays. 1 session or background task is over.',
  )
  expect((await own.command(['status'])).stdout).toMatch(/^sleep-1002 +process +✗ killed/m)
})

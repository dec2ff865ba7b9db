import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { openTerminal } from '../../helpers/terminals/terminal.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/** The real daemon notifies: a server of this process, a notify-send of the test’s, terminals. */

const CONFIG = `
[notify]
command = ["notify-command", "--text"]
[notify.targets.desk]
kind = "desktop"
[notify.targets.term]
kind = "terminal"
[notify.targets.hook]
kind = "webhook"
url_file = "~/hook-url"
[notify.targets.words]
kind = "webhook"
url_env = "WORDS_URL"
text = true
after = 3600
[notify.targets.down]
kind = "webhook"
url_file = "~/down-url"
`

let tree: Exomonad
let answers: number
let folder: string
let desk: string
let command: string
const received: { readonly path: string; readonly json: any }[] = []
const server = createServer((request, response) => {
  let text = ''
  request.on('data', (part: Buffer) => (text += part.toString()))
  request.on('end', () => {
    received.push({ path: request.url ?? '', json: JSON.parse(text) })
    response.writeHead(answers).end('noted')
  })
})

beforeAll(async () => {
  answers = 200
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = (path: string) => `http://127.0.0.1:${port}${path}`
  folder = mkdtempSync(join(tmpdir(), 'notify-'))
  desk = join(folder, 'desk')
  command = join(folder, 'command')
  for (const [name, file] of [
    ['notify-send', desk],
    ['notify-command', command],
  ] as const) {
    writeFileSync(join(folder, name), `#!/bin/sh\nprintf '%s\\n' "$*" >> '${file}'\n`)
    chmodSync(join(folder, name), 0o755)
  }
  tree = await startExomonad({
    config: CONFIG,
    prepareHome: (home) => {
      writeFileSync(join(home, 'hook-url'), `${url('/hook-SECRET')}\n`, { mode: 0o600 })
      // Nobody listens there.
      writeFileSync(join(home, 'down-url'), 'http://127.0.0.1:1/down-SECRET\n', { mode: 0o644 })
    },
    env: { WORDS_URL: url('/words-SECRET'), PATH: `${folder}:${process.env['PATH']}` },
  })
})
afterAll(async () => {
  await tree.stop()
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true })
})

const at = (path: string) => received.filter((one) => one.path === path).map(({ json }) => json)
const ask = (message: string) => tree.call('question', { message, timeout: 0.01 })
const everything = (): string =>
  [
    readFileSync(join(tree.state, 'logs', 'daemon.log'), 'utf8'),
    existsSync(desk) ? readFileSync(desk, 'utf8') : '',
  ].join('\n')

describe('notifications', () => {
  it('are tried by a command, which says what each target answered', async () => {
    const result = await tree.command(['notify', 'test'])
    expect(result.code).toBe(1)
    expect(result.stdout).toMatch(/✓ desk +notify-send ran/)
    expect(result.stdout).toMatch(/✓ hook +127\.0\.0\.1:\d+ answered 200: noted/)
    expect(result.stdout).toMatch(/✓ term +shown by the terminals/)
    expect(result.stdout).toMatch(/✗ down +127\.0\.0\.1:1: /)
    expect(result.stdout).not.toContain('SECRET')
    expect(at('/hook-SECRET')).toMatchObject([{ test: true, count: 0, items: [] }])
    expect(readFileSync(desk, 'utf8')).toContain('exomonad: a test')
    answers = 404
    const failed = await tree.command(['notify', 'test', 'hook', '--json'])
    answers = 200
    expect(failed.code).toBe(1)
    expect(failed.json.answers).toMatchObject([{ target: 'hook', ok: false }])
    const unknown = await tree.command(['notify', 'test', 'nobody'])
    expect(unknown.stderr).toContain('desk, term, hook, words, down')
    received.length = 0
  })

  it('come at once, also to terminals, and once they are due where the daemon was killed meanwhile', async () => {
    const terminal = await openTerminal(tree)
    const raw = await terminal.record()
    await terminal.line('exomonad tree --watch')
    await terminal.until('the tree', /q ends/)
    await ask('Is the launch code 0000?')
    // Alone, before there is another one; and what is not written down as sent is sent again after
    // a kill.
    await waitFor('all who are told at once to be', async () => {
      const told = (await tree.events()).flatMap(({ type, payload }) =>
        type === 'person.notified' && payload.count > 0 ? [payload.target] : [],
      )
      return ['notify.command', 'desk', 'hook', 'term'].every((target) => told.includes(target))
    })
    const { question_id: settled } = await ask('settled?')
    await tree.call('answer_question', { agent: 'root', message: 'yes', question_id: settled })
    await waitFor('the hook', () => at('/hook-SECRET').length === 1)
    await waitFor('the command', () => readFileSync(command, 'utf8').includes('0000?'))
    expect(at('/hook-SECRET')[0]).toMatchObject({
      title: 'exomonad: 1 thing needs you',
      items: [{ kind: 'question', event: 'question.asked', agent: 'root' }],
    })
    expect(JSON.stringify(at('/hook-SECRET'))).not.toContain('launch code')
    await waitFor('the desktop', () => readFileSync(desk, 'utf8').includes('launch code 0000?'))
    await waitFor('the terminal', () =>
      /\u001BPtmux;\u001B\u001B\]9;exomonad: 1 thing needs you: [^\u0007]*launch code 0000\?/.test(
        raw(),
      ),
    )
    // It would start the next daemon, in an environment of its own.
    await terminal.key('C-c')
    await terminal.until('the prompt', /exit \d+$/m)
    await tree.crash()
    // Not due before: a busy machine takes longer than that for all of the above.
    const config = join(tree.repository.path, '.exomonad', 'config.toml')
    writeFileSync(config, readFileSync(config, 'utf8').replace('after = 3600', 'after = 1'))
    await tree.call('tree')
    await waitFor('the words', () => at('/words-SECRET').length === 1)
    expect(at('/words-SECRET')[0].items).toHaveLength(1)
    expect(at('/words-SECRET')[0].items[0].text).toContain('launch code 0000?')
    expect(at('/hook-SECRET')).toHaveLength(1)
    expect(readFileSync(command, 'utf8').match(/--text \[QUESTION\].*0000\?/g)).toHaveLength(1)
  })

  it('come to the terminals of the console and of attach as well', async () => {
    const { json } = await tree.run(['run', '--json', 'echo it begins; sleep 500'])
    const terminal = await openTerminal(tree)
    const raw = await terminal.record()
    const shown = (): number => raw().split('9;exomonad: a test').length - 1
    const through = async (command: string, sight: RegExp, leave: string): Promise<void> => {
      const before = shown()
      await terminal.line(`clear; exomonad ${command}`)
      await terminal.until('it to begin', sight)
      // It is heard once events are followed.
      await waitFor('the notification', async () => {
        await tree.call('notify_test', { target: 'term' })
        return shown() > before
      })
      await terminal.key(leave)
      await terminal.until('the prompt', /exit \d+$/m)
    }
    await through('console', /root/, 'C-d')
    await through(`attach ${json.agent_id}`, /it begins/, 'C-c')
  })

  it('that a target does not take are said by doctor and status, and sent once it does', async () => {
    const trouble = async () =>
      (await tree.command(['daemon', 'status', '--json'])).json.notify_trouble
    await waitFor('the trouble', async () => (await trouble()).length === 1)
    const status = await tree.command(['daemon', 'status'])
    expect(status.stdout).toMatch(/! down does not notify you: 127\.0\.0\.1:1: /)
    const { findings } = (await tree.command(['doctor', '--json'])).json
    const said = findings.filter(({ subject }: { subject: string }) => subject === 'notify')
    expect(said).toMatchObject([
      { status: 'problem', found: expect.stringMatching(/others may use .*down-url/) },
      { status: 'warning', found: expect.stringContaining('down could not be reached, first ') },
    ])
    const { port } = server.address() as AddressInfo
    const file = join(tree.repository.home, 'down-url')
    writeFileSync(file, `http://127.0.0.1:${port}/down-SECRET`)
    expect((await tree.command(['notify', 'test', 'down'])).code).toBe(0)
    const sent = () => at('/down-SECRET').filter(({ test }) => test === false)
    await waitFor('what waited', () => sent().length === 1)
    expect(sent()[0].count).toBe(1)
    // It is over once the answer to that has arrived, too.
    await waitFor('no trouble any more', async () => (await trouble()).length === 0)
    expect(JSON.stringify(said) + everything()).not.toContain('SECRET')
  })

  it('go nowhere by a configuration that came with the repository and is not trusted', async () => {
    received.length = 0
    const config = join(tree.repository.path, '.exomonad', 'config.toml')
    writeFileSync(config, '# by somebody\n', { flag: 'a' })
    await tree.repository.git('add', '--force', '.exomonad/config.toml')
    const refused = await tree.command(['notify', 'test'])
    expect(refused.stderr).toContain('exomonad trust')
    await ask('untrusted?')
    await waitFor('the log', () => everything().includes('nobody was notified'))
    expect(received).toEqual([])
    expect(readFileSync(command, 'utf8')).not.toContain('untrusted?')
    const trusted = await tree.command(['trust'])
    expect(trusted.stdout).toMatch(/notify\.targets\.hook.*sent to the address in ~\/hook-url/)
    expect(trusted.stdout).toMatch(/notify\.targets\.words.*words.*\$WORDS_URL/)
    expect((await tree.command(['notify', 'test', 'hook'])).code).toBe(0)
  })
})

import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { openTerminal } from '../../helpers/terminals/terminal.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/** The real daemon notifies: a server of this process, a notify-send of the test’s, terminals. */

const CONFIG = `
[notify.targets.desk]
kind = "desktop"
[notify.targets.term]
kind = "terminal"
[notify.targets.hook]
kind = "webhook"
url_file = "hook-url"
[notify.targets.words]
kind = "webhook"
url_env = "WORDS_URL"
text = true
after = 3
`

let tree: Exomonad
let answers: number
let desk: string
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
  tree = await startExomonad({
    init: false,
    config: CONFIG,
    env: { WORDS_URL: `http://127.0.0.1:${port}/words-SECRET` },
  })
  desk = join(tree.repository.folder, 'desk')
  const bin = join(tree.repository.folder, 'desktop-bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'notify-send'), `#!/bin/sh\nprintf '%s\\n' "$*" >> '${desk}'\n`)
  chmodSync(join(bin, 'notify-send'), 0o755)
  const url = join(tree.repository.path, '.exomonad', 'hook-url')
  writeFileSync(url, `http://127.0.0.1:${port}/hook-SECRET\n`, { mode: 0o600 })
  const path = `${bin}:${tree.repository.env['PATH'] ?? process.env['PATH']}`
  const begun = await tree.run(['init', '--yes'], { env: { PATH: path } })
  expect(begun.code, begun.stderr).toBe(0)
})
afterAll(async () => {
  await tree.stop()
  server.closeAllConnections()
  server.close()
})

const at = (path: string) => received.filter((one) => one.path === path).map(({ json }) => json)
const ask = (message: string) => tree.call('question', { message, timeout: 0.01 })
const everything = (): string =>
  [
    readFileSync(join(tree.state, 'daemon.log'), 'utf8'),
    existsSync(desk) ? readFileSync(desk, 'utf8') : '',
  ].join('\n')

describe('notifications', () => {
  it('are tried by a command, which says what each target answered', async () => {
    const result = await tree.run(['notify', 'test'])
    expect(result.code, result.stderr).toBe(0)
    expect(result.stdout).toMatch(/✓ desk +notify-send ran/)
    expect(result.stdout).toMatch(/✓ hook +127\.0\.0\.1:\d+ answered 200: noted/)
    expect(result.stdout).toMatch(/✓ term +shown by the terminals/)
    expect(at('/hook-SECRET')).toMatchObject([{ test: true, count: 0, items: [] }])
    expect(readFileSync(desk, 'utf8')).toContain('exomonad: a test')
    answers = 404
    const failed = await tree.run(['notify', 'test', 'hook', '--json'])
    answers = 200
    expect(failed.code).toBe(1)
    expect(failed.json.answers).toMatchObject([{ target: 'hook', ok: false }])
    const unknown = await tree.run(['notify', 'test', 'nobody'])
    expect(unknown.stderr).toContain('desk, term, hook, words')
    received.length = 0
  })

  it('come to desktop, webhook and terminal at once, and with the words where that is wanted', async () => {
    const terminal = await openTerminal(tree)
    const raw = await terminal.record()
    await terminal.line('exomonad tree --watch')
    await terminal.until('the tree', /Ctrl-C ends/)
    await ask('Is the launch code 0000?')
    await waitFor('the hook', () => at('/hook-SECRET').length === 1)
    expect(at('/hook-SECRET')[0]).toMatchObject({
      title: 'exomonad: 1 thing needs you',
      items: [{ kind: 'question', event: 'question.asked', agent: 'main' }],
    })
    expect(JSON.stringify(at('/hook-SECRET'))).not.toContain('launch code')
    await waitFor('the desktop', () => readFileSync(desk, 'utf8').includes('launch code 0000?'))
    await waitFor('the terminal', () =>
      /\u001BPtmux;\u001B\u001B\]9;exomonad: 1 thing needs you: [^\u0007]*launch code 0000\?/.test(
        raw(),
      ),
    )
    await terminal.key('C-c')
    await waitFor('the words', () => at('/words-SECRET').length === 1)
    expect(JSON.stringify(at('/words-SECRET'))).toContain('launch code 0000?')
    expect(everything()).not.toContain('SECRET')
  })

  it('are not lost with a daemon that is killed, nor sent twice, nor for what was settled', async () => {
    received.length = 0
    const { question_id: settled } = await ask('settled?')
    await ask('still open?')
    await tree.crash()
    await tree.call('answer_question', { agent: 'main', message: 'yes', question_id: settled })
    await waitFor('the words', () => at('/words-SECRET').length === 1, { limit: 90_000 })
    const [{ items }] = at('/words-SECRET')
    expect(items).toHaveLength(1)
    expect(items[0].text).toContain('still open?')
    await waitFor('the hook', () => at('/hook-SECRET').length === 1, { limit: 90_000 })
    expect(at('/hook-SECRET')[0].items.length).toBeLessThanOrEqual(2)
  })

  it('that a target does not take are said by doctor and status, until it does', async () => {
    answers = 410
    await tree.run(['notify', 'test', 'hook'])
    received.length = 0
    await ask('anybody?')
    const trouble = async () => (await tree.run(['daemon', 'status', '--json'])).json.notify_trouble
    await waitFor('the trouble', async () => (await trouble()).length > 0, { limit: 90_000 })
    expect((await tree.run(['daemon', 'status'])).stdout).toMatch(/! (hook|words) does not notify/)
    const { findings } = (await tree.run(['doctor', '--json'])).json
    const said = findings.filter(({ subject }: { subject: string }) => subject === 'notify')
    expect(said).toMatchObject([
      { status: 'warning', found: expect.stringContaining('410: noted') },
    ])
    expect(JSON.stringify(said)).not.toContain('SECRET')
    answers = 200
    for (const { target } of await trouble()) await tree.run(['notify', 'test', target])
    expect(await trouble()).toEqual([])
    expect(everything()).not.toContain('SECRET')
  })

  it('go nowhere by a configuration that came with the repository and is not trusted', async () => {
    received.length = 0
    const { config } = await tree.repository
      .commit({ '.exomonad/config.toml': `${readConfig()}# changed by somebody\n` })
      .then(() => ({ config: readConfig() }))
    expect(config).toContain('changed by somebody')
    const shown = await tree.run(['trust', '--check'])
    expect(shown.code).not.toBe(0)
    const refused = await tree.run(['notify', 'test'])
    expect(refused.stderr).toContain('exomonad trust')
    await ask('untrusted?')
    await waitFor('the log', () => everything().includes('nobody was notified'))
    expect(received).toEqual([])
    const trusted = await tree.run(['trust'])
    expect(trusted.stdout).toMatch(/notify\.targets\.hook.*sent to the address in hook-url/)
    expect(trusted.stdout).toMatch(/notify\.targets\.words.*words.*\$WORDS_URL/)
    expect((await tree.run(['notify', 'test', 'hook'])).code).toBe(0)
  })
})

const readConfig = (): string =>
  readFileSync(join(tree.repository.path, '.exomonad', 'config.toml'), 'utf8')

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'

/** Of each kind that could stand somewhere; none is anybody’s. */
const SECRETS = {
  shaped: `ghp_${'aB3dE6fG9h'.repeat(4)}`,
  inEnvironment: 'plain-words-of-a-password',
  inAddress: 'quite-plain-too',
  ofAnAgentsVariables: 'hunter2hunter2',
  random: 'q9Zk2LmX7vB4nR8tY1wC5pD3sF6gH0jK',
} as const
const WORDS = ['turquoise', 'lighthouse', 'umbrella', 'cinnamon'] as const
const [TASK, NAME, HEADING, MAIL] = WORDS

/** `exomonad doctor --report`: what may be sent to strangers. */
describe('a report for a bug', () => {
  let tree: Exomonad
  let report: string
  beforeAll(async () => {
    tree = await startExomonad({
      config: `[agents.other]
adapter = "command"
command = ["sh", "-c", "curl https://me:${SECRETS.inAddress}@example.invalid"]
env = { PASSWORD = "${SECRETS.ofAnAgentsVariables}" }`,
      env: { MY_SERVICE_TOKEN: SECRETS.inEnvironment },
    })
    tree.script(NAME, {
      steps: [
        { do: 'write', path: 'a.txt', content: 'a' },
        { do: 'commit', message: 'a' },
        { do: 'tool', name: 'file_pr', input: { title: HEADING, body: 'x' } },
        { do: 'tool', name: 'send', input: { to: '${env.EXOMONAD_PARENT_ID}', message: MAIL } },
      ],
    })
    await tree.call('spawn_workers', { specs: [{ name: NAME, prompt: `Paint it ${TASK}` }] })
    await tree.logged(NAME, 'its stop', ({ kind }) => kind === 'stop')
    // What a fault may have written, whoever forgot to keep it out.
    const log = join(tree.state, 'logs', 'daemon.log')
    const lines: Record<string, unknown>[] = [
      { time: 'now', level: 50, msg: `failed with ${SECRETS.shaped}`, note: `about ${TASK}` },
      { time: 'now', level: 50, msg: `with ${SECRETS.random}`, agent: SECRETS.inEnvironment },
      {
        time: 'now',
        level: 50,
        msg: 'wrong',
        err: { type: 'Error', message: TASK, stack: `${TASK}\n    at a.js:1` },
      },
    ]
    lines.push({ time: 'now', level: 30, msg: 'ended', name: NAME })
    lines.push({ time: 'now', level: 50, msg: tokens().join(' ') })
    writeFileSync(log, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { flag: 'a' })
  })
  afterAll(() => tree?.stop())

  const tokens = (): string[] => {
    const folders = [
      join(tree.state, 'auth'),
      join(tree.repository.home, '.local', 'state', 'exomonad'),
    ]
    return folders.flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => !name.includes('.json'))
        .map((name) => readFileSync(join(folder, name), 'utf8').trim()),
    )
  }

  it('is one file of the person’s own with versions, findings, numbers and the end of the log', async () => {
    const file = join(tree.repository.folder, 'report.txt')
    const done = await tree.run(['doctor', '--report', file])
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining(file)])
    expect(statSync(file).mode & 0o077).toBe(0)
    report = readFileSync(file, 'utf8')
    expect(report).toMatch(/exomonad 0\.\d+\.\d+, build /)
    expect(report).toMatch(/^ok {2}git: git version/m)
    expect(report).toMatch(/^multiplexer\.kind = "headless"$/m)
    expect(report).toMatch(/^version 00\d\d-/m)
    expect(report).toMatch(/^rows: agents: 2$/m)
    expect(report).toMatch(/^event .*Z agent\.spawned$/m)
    expect(report).toContain('at a.js:1')
  })

  it('has no secret of any kind', () => {
    expect(tokens().length).toBeGreaterThanOrEqual(2)
    for (const secret of [...Object.values(SECRETS), ...tokens()])
      expect(report).not.toContain(secret)
  })

  it('has nobody’s words: no task, name, title or message', () => {
    for (const word of WORDS) expect(report).not.toContain(word)
    expect(report).toContain('agent-1')
  })

  it('has names and tasks where asked for, and still no secret', async () => {
    const { stdout } = await tree.run(['doctor', '--report', '-', '--with-text'])
    expect(stdout).toContain(`${NAME} (main.${NAME}): Paint it ${TASK}`)
    for (const secret of [...Object.values(SECRETS), ...tokens()])
      expect(stdout).not.toContain(secret)
    expect(stdout).not.toContain(tree.repository.home)
  })
})

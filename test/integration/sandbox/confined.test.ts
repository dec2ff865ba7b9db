import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { isInstalled } from '../../helpers/sandbox.ts'
import { tempRepository } from '../../helpers/temp-repository.ts'
import { waitFor } from '../../helpers/wait-for.ts'

const FIXTURES = join(import.meta.dirname, '../../fixtures/agents')

/** A tree whose role `held` is confined, and may use what scripted agents need. */
async function openTree(
  options: { env?: Record<string, string>; config?: string } = {},
): Promise<Exomonad> {
  const tree = await startExomonad({
    ...(options.env === undefined ? {} : { env: options.env }),
    config: `
[roles.held]
agent = "scripted"
sandbox = "workspace"
tools = ["note", "file_pr", "spawn_workers", "spawn_background_task"]
${options.config ?? ''}`,
  })
  const file = join(tree.repository.path, '.exomonad', 'config.toml')
  const sandbox = `[sandbox]\nread = [${JSON.stringify(FIXTURES)}]\nwrite = [${JSON.stringify(tree.scripts)}]\n`
  writeFileSync(file, `${readFileSync(file, 'utf8')}\n${sandbox}`)
  return tree
}

async function startTree(options: Parameters<typeof openTree>[0] = {}): Promise<Exomonad> {
  const tree = await openTree(options)
  onTestFinished(() => tree.stop())
  return tree
}

const spawn = (tree: Exomonad, name: string, spec: object = {}, kind = 'worker'): Promise<any> =>
  tree.call('spawn', { kind, specs: [{ name, prompt: 'Do it.', role: 'held', ...spec }] })

const home = (tree: Exomonad): string => `test -e '${tree.repository.home}/secret'`

describe.skipIf(!isInstalled())('agents that are confined', () => {
  let tree: Exomonad
  beforeAll(async () => {
    tree = await openTree({ config: '[radar]\ninterval = 3600\n' })
    writeFileSync(join(tree.repository.home, 'secret'), 'x')
  })
  afterAll(() => tree?.stop())

  it('work, file, and find the daemon that comes after', async () => {
    tree.script('held', {
      steps: [
        { do: 'sh', command: 'echo a > a.txt && git add a.txt && git commit -qm A' },
        {
          do: 'sh',
          command: [
            'git branch one && git branch two && git branch -d one two && git tag t && git tag -d t',
            'git switch -qc side HEAD~1 && echo s > s.txt && git add s.txt && git commit -qm S',
            'git switch -q main.held && git cherry-pick side && git branch -D side',
            // Refused while a pick is under way.
            'git merge HEAD~1',
          ].join(' && '),
        },
        { do: 'tool', name: 'file_pr', input: { title: 'A', body: 'B' } },
        { do: 'stop' },
      ],
      on: [{ match: 'again', steps: [{ do: 'tool', name: 'note', input: { message: 'Back' } }] }],
    })
    const { spawned } = await spawn(tree, 'held')
    await waitFor('its pull request', async () => (await tree.agent('held')).pr?.state === 'open')
    expect(existsSync(join(spawned[0].worktree, 'a.txt'))).toBe(true)
    const refs = await tree.repository.git('for-each-ref', '--format=%(refname)')
    expect(refs).not.toMatch(/\/(?:one|two|side|t)$/m)
    expect(refs).toContain('refs/heads/main.held')
    await tree.crash()
    await tree.call('send', { to: 'held', message: 'again' })
    await waitFor('its note', async () =>
      (await tree.call('inbox')).messages.some(({ text }: any) => text.includes('Back')),
    )
  })

  it('are rebased, merged and cleaned as others are, and no log leads elsewhere', async () => {
    const tree = await startTree()
    const elsewhere = join(tree.repository.folder, 'elsewhere')
    // Of its worktree, of what the daemon pushes, and of the main checkout.
    const logs = ['remotes/exomonad/main.third', 'heads/main'].map((ref) => `"$common/refs/${ref}"`)
    const link = [
      'own=$(git rev-parse --absolute-git-dir)/logs common=$(git rev-parse --git-common-dir)/logs',
      'mkdir -p "$common/refs/remotes/exomonad" "$common/refs/heads"',
      `for log in "$own/HEAD" "$common/HEAD" ${logs.join(' ')}; do ln -sf '${elsewhere}' "$log"; done`,
    ].join('; ')
    const commit = (file: string) => ({
      do: 'sh',
      command: `echo b > ${file} && git add ${file} && git commit -qm ${file}`,
    })
    const files = (name: string, ...more: object[]): void =>
      tree.script(name, {
        steps: [commit(name), { do: 'tool', name: 'file_pr', input: { title: name, body: 'B' } }],
        on: [{ match: 'go on', steps: [commit(`${name}-2`), ...more, { do: 'stop' }] }],
      })
    files('first')
    files('second')
    files('third', { do: 'sh', command: link })
    /** The end of the turn in which it goes on. */
    const wentOn = (name: string) =>
      waitFor(`${name} to have gone on`, () => {
        const log = tree.log(name)
        const told = log.findIndex(({ kind, text }) => kind === 'message' && /go on/.test(text))
        return (
          told >= 0 &&
          log
            .slice(told)
            .some(({ kind, answer }) => kind === 'stop' && answer?.decision === 'allow')
        )
      })
    const worktrees = new Map<string, string>()
    const numbers = new Map<string, number>()
    for (const name of ['first', 'second', 'third']) {
      worktrees.set(name, (await spawn(tree, name)).spawned[0].worktree)
      const filed = await waitFor(`that of ${name}`, async () => (await tree.agent(name)).pr)
      numbers.set(name, filed.number)
    }
    await tree.call('merge_pr', { pr_number: numbers.get('first') })
    for (const name of ['second', 'third']) await tree.call('send', { to: name, message: 'go on' })
    await wentOn('third')
    expect(existsSync(elsewhere)).toBe(false)
    const place = worktrees.get('second') ?? ''
    await waitFor('the rebase', () => existsSync(join(place, 'first')))
    await wentOn('second')
    // What its stop pushed may come in a moment after it.
    await waitFor('the merge', async () => {
      const { head_sha: head } = await tree.call('pr_diff', { pr_number: numbers.get('second') })
      const merge = { pr_number: numbers.get('second'), head_sha: head }
      return tree.call('merge_pr', merge).then(
        () => true,
        (error: { code?: string }) => {
          if (error.code === 'HEAD_CHANGED') return false
          throw error
        },
      )
    })
    await waitFor('the main checkout to follow', () =>
      existsSync(join(tree.repository.path, 'second')),
    )
    expect(existsSync(elsewhere)).toBe(false)
    for (const name of ['first', 'second']) await tree.call('kill', { agent: name })
    const cleaned = await tree.command(['clean', 'first', 'second'])
    expect(cleaned, cleaned.stderr).toMatchObject({ code: 0 })
    expect(existsSync(place), cleaned.stdout + cleaned.stderr).toBe(false)
    expect(await tree.repository.git('branch', '--list', '*first', '*second')).toBe('')
  })

  it('leave what their hooks say for the daemon that comes after, each in its own place', async () => {
    const go = join(tree.scripts, 'says-go')
    const hook = join(import.meta.dirname, '../../../hooks/waiting.sh')
    tree.script('says', {
      steps: [
        { do: 'sh', command: 'true' },
        { do: 'file', path: go },
        { do: 'sh', command: `echo '{"message":"a word"}' | sh '${hook}'` },
      ],
    })
    const { spawned } = await spawn(tree, 'says')
    await tree.logged('says', 'its start', ({ kind }) => kind === 'sh')
    await tree.crash()
    writeFileSync(go, '')
    const spool = join(tree.state, 'agents', spawned[0].agent_id, 'spool')
    const spooled = (): string[] => readdirSync(spool).filter((name) => name.endsWith('.json'))
    await waitFor('the hook', () => spooled().some((name) => !name.startsWith('.')))
    await tree.call('tree')
    await waitFor('it to be read', () => spooled().length === 0)
    expect(readdirSync(spool)).not.toContain('broken')
  })

  it('have their children and processes confined too', async () => {
    tree.script('lead', {
      steps: [
        {
          do: 'tool',
          name: 'spawn_workers',
          input: { specs: [{ name: 'child', prompt: 'Do it.' }] },
          as: 'children',
        },
      ],
    })
    const look = {
      do: 'sh',
      allow_failure: true,
      command: `${home(tree)} && echo seen || echo not`,
    }
    tree.script('child', { steps: [look] })
    tree.script('free', { steps: [look] })
    await spawn(tree, 'lead', {}, 'subtree')
    await spawn(tree, 'free', { role: 'dev' })
    const seenBy = async (name: string): Promise<string> => {
      const { stdout, output } = await tree.logged(name, 'its look', ({ kind }) => kind === 'sh')
      return String(stdout ?? output)
    }
    expect(await seenBy('child')).toContain('not')
    expect(await seenBy('free')).toContain('seen')
    await tree.call(
      'spawn_background_task',
      { command: `${home(tree)} && echo seen > look || echo not > look` },
      { as: 'lead' },
    )
    const file = join((await tree.agent('lead')).worktree, 'look')
    // It is there before it has a word in it.
    expect(await waitFor('its process', () => readFileSync(file, 'utf8') || undefined)).toBe(
      'not\n',
    )
  })

  it('have the radar look at their worktrees with a git that sees no more than they do', async () => {
    await tree.repository.git(
      'config',
      'filter.look.clean',
      `${home(tree)} && echo seen || echo not`,
    )
    for (const [name, role] of [
      ['inside', 'held'],
      ['outside', 'dev'],
    ] as const) {
      const command = "echo '*.x filter=look' > .gitattributes && echo a > a.x"
      tree.script(name, { steps: [{ do: 'sh', command }] })
      await spawn(tree, name, { role })
      await tree.logged(name, 'its file', ({ kind }) => kind === 'sh')
    }
    const { pairs } = await tree.call('radar')
    expect(pairs).toContainEqual({ a: 'inside', b: 'outside', status: 'conflict', files: ['a.x'] })
    // What each had its filter say.
    const detail = JSON.stringify(await tree.call('radar', { a: 'inside', b: 'outside' }))
    for (const line of ['+not', '+seen']) expect(detail).toContain(line)
  })
})

describe('the root', () => {
  it('is not confined, and says so', async () => {
    const tree = await startExomonad({
      roles: { tl: 'boxed' },
      config: `[agents.boxed]\nadapter = "command"\nsandbox = "workspace"\ncommand = ["sh", "-c", "echo $HOME > root-home; sleep 600"]\n`,
    })
    onTestFinished(() => tree.stop())
    const { stdout, stderr } = await tree.run(['up', 'Do it'])
    expect(`${stdout}${stderr}`).toContain('is not confined: it works in your own checkout')
    const file = join(tree.repository.path, 'root-home')
    await waitFor('the root', () => existsSync(file) && readFileSync(file, 'utf8') !== '')
    expect(existsSync(join(readFileSync(file, 'utf8').trim(), '.gitconfig'))).toBe(
      existsSync(join(tree.repository.home, '.gitconfig')),
    )
  })
})

describe('a sandbox that can’t be kept', () => {
  it('is no agent at all, and says why', async () => {
    const { folder, remove } = await tempRepository()
    onTestFinished(remove)
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    writeFileSync(
      join(bin, 'bwrap'),
      '#!/bin/sh\necho "bwrap: setting up uid map: Permission denied" >&2\nexit 1\n',
    )
    chmodSync(join(bin, 'bwrap'), 0o755)
    const tree = await startTree({ env: { PATH: `${bin}:${process.env['PATH'] ?? ''}` } })
    const { spawned, errors } = await spawn(tree, 'held')
    expect(spawned).toEqual([])
    expect(errors[0]).toMatchObject({ code: 'SANDBOX_UNAVAILABLE' })
    expect(JSON.stringify(errors[0])).toContain('setting up uid map: Permission denied')
    expect(JSON.stringify(errors[0])).toContain('sandbox = \\"off\\"')
    // Nothing is left of it.
    expect(await tree.repository.git('branch', '--list', '*held*')).toBe('')
    const doctor = await tree.command(['doctor', '--json'])
    expect(doctor.json.findings).toContainEqual(
      expect.objectContaining({ subject: 'sandbox', status: 'problem' }),
    )
  })
})

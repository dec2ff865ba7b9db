import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { isInstalled } from '../../helpers/sandbox.ts'
import { tempRepository } from '../../helpers/temp-repository.ts'
import { waitFor } from '../../helpers/wait-for.ts'

const FIXTURES = join(import.meta.dirname, '../../fixtures/agents')

/** A tree whose role `held` is confined, and may use what scripted agents need. */
async function startTree(
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
  onTestFinished(() => tree.stop())
  const file = join(tree.repository.path, '.exomonad', 'config.toml')
  const sandbox = `[sandbox]\nread = [${JSON.stringify(FIXTURES)}]\nwrite = [${JSON.stringify(tree.scripts)}]\n`
  writeFileSync(file, `${readFileSync(file, 'utf8')}\n${sandbox}`)
  return tree
}

const spawn = (tree: Exomonad, name: string, spec: object = {}, kind = 'worker'): Promise<any> =>
  tree.call('spawn', { kind, specs: [{ name, prompt: 'Do it.', role: 'held', ...spec }] })

const home = (tree: Exomonad): string => `test -e '${tree.repository.home}/secret'`

describe.skipIf(!isInstalled())('agents that are confined', () => {
  it('work, file, and find the daemon that comes after', async () => {
    const tree = await startTree()
    tree.script('held', {
      steps: [
        { do: 'sh', command: 'echo a > a.txt && git add a.txt && git commit -qm A' },
        { do: 'tool', name: 'file_pr', input: { title: 'A', body: 'B' } },
        { do: 'stop' },
      ],
      on: [{ match: 'again', steps: [{ do: 'tool', name: 'note', input: { message: 'Back' } }] }],
    })
    const { spawned } = await spawn(tree, 'held')
    await waitFor('its pull request', async () => (await tree.agent('held')).pr?.state === 'open')
    expect(existsSync(join(spawned[0].worktree, 'a.txt'))).toBe(true)
    await tree.crash()
    await tree.call('send', { to: 'held', message: 'again' })
    await waitFor('its note', async () =>
      (await tree.call('inbox')).messages.some(({ text }: any) => text.includes('Back')),
    )
  })

  it('have their children and processes confined too', async () => {
    const tree = await startTree()
    writeFileSync(join(tree.repository.home, 'secret'), 'x')
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
    await waitFor('its process', () => existsSync(file))
    expect(readFileSync(file, 'utf8')).toBe('not\n')
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
    const doctor = await tree.run(['doctor', '--json'])
    expect(doctor.json.findings).toContainEqual(
      expect.objectContaining({ subject: 'sandbox', status: 'problem' }),
    )
  })
})

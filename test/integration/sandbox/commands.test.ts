import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startExomonad } from '../../helpers/daemon.ts'
import { isInstalled } from '../../helpers/sandbox.ts'
import { waitFor } from '../../helpers/wait-for.ts'

const FIXTURES = join(import.meta.dirname, '../../fixtures/agents')

it.skipIf(!isInstalled())(
  'set-up, teardown and checks of what confined agents wrote are confined as they are, and nothing they made reaches others',
  async () => {
    const tree = await startExomonad({
      files: { '.gitignore': 'out/\nseen\nhidden\n', lock: '1', 'a.txt': 'a' },
      config: `
[roles.held]
agent = "scripted"
sandbox = "workspace"
tools = ["file_pr"]
`,
    })
    onTestFinished(() => tree.stop())
    const secret = join(tree.repository.home, 'secret')
    writeFileSync(secret, 'x')
    const look = (place: string): string =>
      `if test -e '${secret}'; then touch ${place}seen; else touch ${place}hidden; fi`
    const command = (script: string): string => JSON.stringify(['sh', '-c', script])
    const file = join(tree.repository.path, '.exomonad', 'config.toml')
    writeFileSync(
      file,
      `${readFileSync(file, 'utf8')}
[sandbox]
read = [${JSON.stringify(FIXTURES)}]
write = [${JSON.stringify(tree.scripts)}]
[worktree]
teardown = [${command(look(join(tree.scripts, 'torn-')))}]
[[worktree.setup]]
run = ${command(look(''))}
[[worktree.setup]]
run = ${command(`mkdir -p out; ${look('out/')}`)}
key = ["lock"]
outputs = ["out"]
[forge.local]
ci = ${command(`${look('')}; touch "$HOME/own" && ! test -e seen && git log -1 > /dev/null`)}
`,
    )
    const spawn = async (name: string, role: string): Promise<string> =>
      (await tree.call('spawn', { kind: 'worker', specs: [{ name, prompt: 'Do it.', role }] }))
        .spawned[0].worktree
    tree.script('held', {
      steps: [
        { do: 'sh', command: 'echo b > b.txt && git add b.txt && git commit -qm B' },
        { do: 'tool', name: 'file_pr', input: { title: 'B', body: 'B' } },
        { do: 'exit', code: 0 },
      ],
    })
    const held = await spawn('held', 'held')
    const made = (worktree: string): string[] =>
      ['seen', 'hidden', 'out/seen', 'out/hidden'].filter((name) =>
        existsSync(join(worktree, name)),
      )
    expect(made(held)).toEqual(['hidden', 'out/hidden'])
    const free = await spawn('free', 'dev')
    expect(made(free)).toEqual(['seen', 'out/seen'])

    const pull = await waitFor('the check', async () => {
      const { pr } = (await tree.agent('held')) ?? {}
      if (pr === undefined || pr === null) return false
      const shown = await tree.call('pr_checks', { pr_number: pr.number })
      const ended = shown.checks.filter(
        ({ status }: { status: string }) => !['queued', 'running', 'pending'].includes(status),
      )
      return ended.length > 0 && { number: pr.number, checks: shown }
    })
    expect(JSON.stringify(pull.checks)).toMatch(/passed|success/)

    await tree.call('merge_pr', { pr_number: pull.number })
    await waitFor('its end', async () => (await tree.agent('held')).state === 'completed')
    expect((await tree.call('clean', { agents: ['held'] })).removed).toHaveLength(1)
    expect(existsSync(join(tree.scripts, 'torn-hidden'))).toBe(true)
    expect(existsSync(join(tree.scripts, 'torn-seen'))).toBe(false)
  },
)

it.skipIf(!isInstalled())(
  'repositories of submodules that a confined agent wrote show the daemon’s git nothing that the agent can’t read',
  async () => {
    const tree = await startExomonad({
      config: `
[roles.held]
agent = "scripted"
sandbox = "workspace"
tools = ["note"]
[sandbox]
read = [${JSON.stringify(FIXTURES)}]
`,
    })
    onTestFinished(() => tree.stop())
    const { repository } = tree
    const file = join(repository.path, '.exomonad', 'config.toml')
    writeFileSync(file, `${readFileSync(file, 'utf8')}write = [${JSON.stringify(tree.scripts)}]\n`)
    // Whose objects are nobody's but the person's.
    const secret = join(repository.home, 'secret')
    await repository.gitIn(repository.folder, 'clone', '-q', repository.path, secret)
    writeFileSync(join(secret, 'private'), 'x')
    await repository.gitIn(secret, 'add', 'private')
    await repository.gitIn(secret, 'commit', '-qm', 'Private')
    const tip = await repository.gitIn(secret, 'rev-parse', 'HEAD')
    const forge = [
      'module=$(git rev-parse --git-dir)/modules/forged',
      'git init -q --bare "$module" && mkdir -p "$module/refs/remotes/origin"',
      `echo '${join(secret, '.git', 'objects')}' > "$module/objects/info/alternates"`,
      `for ref in heads/main remotes/origin/main; do echo ${tip} > "$module/refs/$ref"; done`,
      'echo ref: refs/heads/main > "$module/HEAD"',
    ].join('; ')
    for (const name of ['held', 'free'])
      tree.script(name, {
        steps: [
          { do: 'sh', command: forge },
          { do: 'exit', code: 3 },
        ],
      })
    for (const [name, role] of [
      ['held', 'held'],
      ['free', 'dev'],
    ])
      await tree.call('spawn', { kind: 'worker', specs: [{ name, prompt: 'x', role }] })
    for (const name of ['held', 'free'])
      await waitFor(`${name} to end`, async () => (await tree.agent(name)).state === 'failed')
    const { removed, kept } = await tree.call('clean')
    // Whose commits are at a remote, as far as git may look.
    expect(removed.map(({ agent }: { agent: string }) => agent)).toEqual(['free'])
    expect(kept).toMatchObject([
      {
        agent: 'held',
        reason: expect.stringMatching(/^its submodule forged can’t be looked at: /),
      },
    ])
  },
)

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
        ({ status }: { status: string }) => status !== 'running' && status !== 'pending',
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

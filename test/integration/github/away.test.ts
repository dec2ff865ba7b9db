import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startGithubTree } from '../../helpers/github/github-tree.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/** A tree whose GitHub is away, and then refuses the token. */

const LIMIT = 90_000
const filing = (name: string) => [
  { do: 'write', path: `${name}.txt`, content: 'x\n' },
  { do: 'commit', message: `Add ${name}` },
  { do: 'tool', name: 'file_pr', input: { title: `Add ${name}`, body: 'Done' } },
]

it(
  'without GitHub, or with a token that was revoked, the daemon starts, agents go on, and the tree says what is the matter',
  { timeout: 240_000 },
  async () => {
    const { tree, github, stop } = await startGithubTree({
      files: { 'README.md': '# Widgets\n' },
      githubConfig: 'copilot_review = false',
    })
    onTestFinished(stop)
    const worker = (name: string) =>
      tree.call('spawn_workers', { specs: [{ name, prompt: 'Nothing to do.' }] })
    const filed = async (name: string): Promise<number> =>
      waitFor(
        `the pull request of ${name}`,
        () => tree.log(name).find((entry) => entry['name'] === 'file_pr')?.['answer']?.pr_number,
        { limit: LIMIT },
      )
    const go = join(tree.repository.folder, 'go')
    tree.script('early', { steps: filing('early') })
    await worker('early')
    const number = await filed('early')

    await tree.command(['daemon', 'stop'])
    await github.down()
    expect((await tree.command(['daemon', 'start'])).code).toBe(0)
    tree.script('late', { steps: [{ do: 'file', path: go }, ...filing('late')] })
    expect((await worker('late')).spawned).toHaveLength(1)
    expect(await tree.refusal('pr_show', { pr_number: number })).toMatchObject({
      code: 'FORGE_UNAVAILABLE',
    })
    await waitFor(
      'the trouble',
      async () => (await tree.call('tree')).forge.trouble?.code === 'FORGE_UNAVAILABLE',
      { limit: LIMIT },
    )
    expect((await tree.command(['tree'])).stdout).toContain('! GitHub can’t be used')

    github.revokeToken(github.token)
    await github.up()
    expect(await tree.refusal('pr_show', { pr_number: number })).toMatchObject({
      code: 'FORGE_DENIED',
      error: expect.stringContaining('refuses the token'),
    })
    const fresh = github.addToken({ login: 'robot' })
    writeFileSync(join(tree.repository.home, 'github-token'), fresh, { mode: 0o600 })
    writeFileSync(go, '')
    expect(github.pull(await filed('late'))).toMatchObject({ headRef: 'main.late', state: 'open' })
    await waitFor('it to be over', async () => (await tree.call('tree')).forge.trouble === null, {
      limit: LIMIT,
    })
    expect((await tree.events()).map(({ type }) => type)).toEqual(
      expect.arrayContaining(['forge.trouble', 'forge.recovered']),
    )
    const said = JSON.stringify([await tree.run(['daemon', 'logs']), await tree.events()])
    for (const token of [github.token, fresh]) expect(said).not.toContain(token)
  },
)

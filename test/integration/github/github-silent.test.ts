import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startGithubTree } from '../../helpers/github/github-tree.ts'
import { silence } from '../../helpers/github/silent-github.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/** A tree whose GitHub takes connections and never answers. */

const LIMIT = 90_000
const filing = (name: string) => [
  { do: 'write', path: `${name}.txt`, content: 'x\n' },
  { do: 'commit', message: `Add ${name}` },
  { do: 'tool', name: 'file_pr', input: { title: `Add ${name}`, body: 'Done' } },
]

it(
  'a GitHub that never answers keeps the daemon from neither starting nor stopping, and agents are reminded of what they forgot',
  { timeout: 300_000 },
  async () => {
    const { tree, github, stop } = await startGithubTree({
      files: { 'README.md': '# Widgets\n' },
      githubConfig: 'copilot_review = false',
      config: '[stop]\ntimeout = 25\n',
    })
    onTestFinished(stop)
    const go = join(tree.repository.folder, 'go')
    tree.script('early', {
      steps: [
        ...filing('early'),
        { do: 'file', path: go },
        { do: 'write', path: 'more.txt', content: 'x\n' },
      ],
      on: [{ match: 'uncommitted', steps: [{ do: 'commit', message: 'Add more' }] }],
    })
    await tree.call('spawn_workers', { specs: [{ name: 'early', prompt: 'Nothing to do.' }] })
    const number = await waitFor(
      'the pull request',
      () => tree.log('early').find((entry) => entry['name'] === 'file_pr')?.['answer']?.pr_number,
      {
        limit: LIMIT,
      },
    )
    github.fail(/^PUT .*\/merge$/, { kind: 'slow', milliseconds: 60_000 })
    const merge = tree.command(['call', 'merge_pr', '-'], {
      input: JSON.stringify({ pr_number: number }),
    })
    await waitFor(
      'the merge to be sent',
      async () => (await tree.call('tree')).unfinished[0]?.step === 'merge',
      { limit: LIMIT },
    )
    const speak = await silence(github)
    onTestFinished(speak)
    await tree.crash()
    await merge

    expect(await tree.command(['daemon', 'start'])).toMatchObject({ code: 0 })
    expect((await tree.call('tree')).unfinished).toMatchObject([
      { kind: 'merge', facts: { number } },
    ])
    writeFileSync(go, '')
    const delivered = (): string[] =>
      tree
        .log('early')
        .flatMap((entry) =>
          entry['kind'] === 'stop' ? [entry['answer'].objection ?? entry['answer'].decision] : [],
        )
    await waitFor('it to stop', () => delivered().includes('allow'), { limit: LIMIT })
    expect(delivered()).toContain('uncommitted')
    expect(await tree.command(['daemon', 'stop'])).toMatchObject({ code: 0 })

    await speak()
    expect(await tree.command(['daemon', 'start'])).toMatchObject({ code: 0 })
    await waitFor(
      'the merge to be settled',
      async () => (await tree.call('tree')).unfinished.length === 0,
      { limit: LIMIT },
    )
  },
)

it(
  'what GitHub asked to wait for holds over a kill -9 of the daemon',
  { timeout: 180_000 },
  async () => {
    const { tree, github, stop } = await startGithubTree({
      files: { 'README.md': '# Widgets\n' },
      githubConfig: 'copilot_review = false\nspawn_label = "agent"',
    })
    onTestFinished(stop)
    github.fail(/./, { kind: 'secondary', retryAfter: 3600 })
    await waitFor(
      'the human to be notified',
      async () => (await tree.events()).some(({ type }) => type === 'forge.trouble'),
      { limit: LIMIT },
    )
    await tree.crash()
    const before = github.calls.length
    expect(await tree.command(['daemon', 'start'])).toMatchObject({ code: 0 })
    // It ends when its first looks are over.
    expect(await tree.command(['daemon', 'stop'])).toMatchObject({ code: 0 })
    expect(github.calls.slice(before)).toEqual([])
  },
)

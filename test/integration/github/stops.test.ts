import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startGithubTree, type GithubTree } from '../../helpers/github/github-tree.ts'
import { silence } from '../../helpers/github/silent-github.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/**
 * Agents that end a turn while GitHub is away. The stop check may take a minute: what lets them go
 * is that GitHub was found to be away.
 */

const LIMIT = 90_000
const SINCE = /^GitHub can’t be used since \d\d:\d\d:\d\d UTC \(.+\): what is known of it decided/

describe('a stop while GitHub is away (20.13)', () => {
  let world: GithubTree
  const tree = () => world.tree
  const go = (name: string) => join(tree().repository.folder, `go-${name}`)
  const stops = (name: string): any[] =>
    tree()
      .log(name)
      .flatMap((entry) => (entry['kind'] === 'stop' ? [entry['answer']] : []))
  const stopped = (name: string) =>
    waitFor(`${name} to stop`, () => stops(name).find(({ decision }) => decision === 'allow'), {
      limit: LIMIT,
    })
  /** An agent that has filed, and goes on when asked to: it commits something, and stops. */
  const begin = async (name: string): Promise<void> => {
    const work = (file: string) => [
      { do: 'write', path: `${file}.txt`, content: 'x\n' },
      { do: 'commit', message: `Add ${file}` },
    ]
    const filing = { do: 'tool', name: 'file_pr', input: { title: `Add ${name}`, body: 'Done' } }
    tree().script(name, {
      steps: [...work(name), filing, { do: 'file', path: go(name) }, ...work(`${name}-more`)],
    })
    await tree().call('spawn_workers', { specs: [{ name, prompt: 'x' }] })
    await tree().logged(name, 'the filing', (entry) => entry['name'] === 'file_pr')
  }

  beforeAll(async () => {
    world = await startGithubTree({
      files: { 'README.md': '# Widgets\n' },
      githubConfig: 'copilot_review = false',
      config: '[stop]\ntimeout = 300\n',
    })
    for (const name of ['first', 'second', 'third']) await begin(name)
  })
  afterAll(() => world?.stop())

  it(
    'that has just begun not to answer: the agent is let go, and notified since when',
    { timeout: 240_000 },
    async () => {
      const speak = await silence(world.github)
      onTestFinished(speak)
      writeFileSync(go('first'), '')
      expect((await stopped('first')).note).toMatch(SINCE)
      // By now that is known: nothing is asked any more.
      writeFileSync(go('second'), '')
      expect((await stopped('second')).note).toMatch(SINCE)
      await speak()
      await waitFor(
        'GitHub to be there again',
        async () => (await tree().call('tree')).forge.trouble === null,
        { limit: LIMIT },
      )
    },
  )

  it('that refuses connections', { timeout: 240_000 }, async () => {
    await world.github.down()
    writeFileSync(go('third'), '')
    expect((await stopped('third')).note).toMatch(SINCE)
    await world.github.up()
  })
})

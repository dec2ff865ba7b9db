import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/** What wakes a lead, with the real daemon: as configured, and as it asked for when it spawned. */

const work = (name: string) => [
  { do: 'write', path: `${name}.txt`, content: `${name}\n` },
  { do: 'commit', message: name },
  { do: 'tool', name: 'file_pr', input: { title: name, body: 'Done' } },
]
const texts = (tree: Exomonad, name: string): string[] =>
  tree.log(name).flatMap((entry) => (entry['kind'] === 'message' ? [entry['text']] : []))
const rests = (tree: Exomonad, name: string) =>
  waitFor(`${name} to rest`, async () => (await tree.agent(name)).state === 'idle')

async function leadTree(config = ''): Promise<Exomonad> {
  const tree = await startExomonad({ config })
  onTestFinished(() => tree.stop())
  tree.script('lead', {})
  await tree.call('spawn_subtree', { task: 'x', branch_name: 'lead' })
  await tree.logged('lead', 'its start', (entry) => entry['kind'] === 'ready')
  await rests(tree, 'lead')
  return tree
}

it('[attention] decides what wakes an agent and what is only logged', async () => {
  const tree = await leadTree(
    '[attention.events]\n"pr.opened" = "wake"\n[attention.roles.tl]\n"pr.ready" = "log"\n',
  )
  tree.script('one', { steps: work('one') })
  await tree.call('spawn_workers', { specs: [{ name: 'one', prompt: 'x' }] }, { as: 'lead' })
  await waitFor('the lead to be notified', () => texts(tree, 'lead').length === 1)
  await waitFor('it to be ready', async () =>
    (await tree.events()).some(({ type }) => type === 'pr.ready'),
  )
  await rests(tree, 'one')
  await tree.call('send', { to: 'lead', message: 'And now?' })
  await waitFor('the message', () => texts(tree, 'lead').length === 2)
  expect(texts(tree, 'lead')[0]).toMatch(/^\[PR OPENED\]/)
  expect(texts(tree, 'lead').join('\n')).not.toContain('[PR READY]')
})

it('wake: "all_settled" is one message for all of a lead’s children, across a crash', async () => {
  const tree = await leadTree()
  const [begin, go] = ['begin', 'go'].map((name) => join(tree.scripts, name)) as [string, string]
  const asked = { do: 'tool', name: 'question', input: { message: 'Which?', timeout: 0.01 } }
  // While one asks it waits for the lead.
  tree.script('one', { steps: [{ do: 'file', path: begin }, ...work('one')] })
  tree.script('two', { steps: [asked, { do: 'file', path: go }, ...work('two')] })
  tree.script('three', {})
  const spawned = await tree.run([
    '--as',
    'lead',
    'spawn',
    'workers',
    '--wake',
    'all_settled',
    'one=x',
    'two=x',
    'three=x',
  ])
  expect(spawned.code, spawned.stderr).toBe(0)
  await waitFor('the question', () => texts(tree, 'lead').length === 1)
  expect(texts(tree, 'lead')[0]).toMatch(/^\[QUESTION\]/)
  await tree.call('answer_question', { agent: 'two', message: 'The second.' }, { as: 'lead' })
  writeFileSync(begin, '')
  const isReady = async (number: number): Promise<boolean> =>
    (await tree.events()).some(
      ({ type, payload }) => type === 'pr.ready' && payload.title === ['', 'one', 'two'][number],
    )
  await waitFor('one to be ready', () => isReady(1))
  await rests(tree, 'three')
  await tree.crash()
  writeFileSync(go, '')
  // The next call starts the daemon again.
  await tree.run(['tree'])
  await waitFor('two to be ready', () => isReady(2), { limit: 30_000 })
  await waitFor('the lead to be notified', () => texts(tree, 'lead').length === 2)
  expect(
    texts(tree, 'lead')[1]
      ?.match(/\[[A-Z ]+\]/g)
      ?.toSorted(),
  ).toEqual(['[CHILD IDLE]', '[PR READY]', '[PR READY]'])
  // That nothing checks here is no news of each of them, and of no daemon.
  expect(texts(tree, 'lead')[1]).not.toContain('Nothing has checked it.')
  const lacks = (await tree.events()).filter(({ type }) => type === 'forge.lacks')
  expect(lacks.map(({ payload }) => payload.lack)).toEqual(['checks'])
  expect((await tree.run(['inbox', '--json'])).stdout).toContain('[forge.local] ci names a command')
})

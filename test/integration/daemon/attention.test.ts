import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
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
  await tree.command(['tree'])
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
  expect((await tree.command(['inbox', '--json'])).stdout).toContain(
    '[forge.local] ci names a command',
  )
})

it('no hold outlasts its reason, whatever is only logged, and across a crash', async () => {
  const tree = await leadTree(
    '[attention]\nstalled_after = 3600\n[attention.events]\n"agent.idle" = "log"\n"agent.silent" = "log"\n[liveness]\nreconcile_every = 1\n',
  )
  tree.script('one', { steps: work('one') })
  tree.script('two', {})
  tree.script('three', { steps: [{ do: 'file', path: join(tree.scripts, 'never') }] })
  const specs = ['one', 'two', 'three'].map((name) => ({ name, prompt: 'x' }))
  await tree.call('spawn_workers', { specs, wake: 'all_settled' }, { as: 'lead' })
  await waitFor('one to be ready', async () =>
    (await tree.events()).some(({ type }) => type === 'pr.ready'),
  )
  await rests(tree, 'two')
  await tree.crash()
  // Not before: on a busy machine the work of one takes longer than that, too.
  const config = join(tree.repository.path, '.exomonad', 'config.toml')
  writeFileSync(
    config,
    readFileSync(config, 'utf8').replace('stalled_after = 3600', 'stalled_after = 3'),
  )
  // The next call starts the daemon again.
  await tree.command(['tree'])
  await waitFor('the lead to be notified', () => texts(tree, 'lead').length === 1)
  const [text] = texts(tree, 'lead')
  expect(text?.match(/\[[A-Z ]+\]/g)).toEqual(['[PR READY]', '[CHILD UNSETTLED]'])
  expect(text).toContain('three (branch main.lead.three)')
  expect(text).toContain('it works and shows nothing of it')
})

it('what rests for something of its own is shown with that, and reported once that may never end', async () => {
  const tree = await startExomonad({ init: false })
  onTestFinished(() => tree.stop())
  const config = join(tree.repository.path, '.exomonad', 'config.toml')
  const hooked = join(import.meta.dirname, '..', '..', 'fixtures', 'agents', 'hooked.js')
  const program = `[agents.hooked]\nadapter = "claude"\ncommand = [${JSON.stringify(process.execPath)}, ${JSON.stringify(hooked)}]\nenv = { SCRIPTED_AGENTS = ${JSON.stringify(tree.scripts)} }\n`
  const rules = '[attention]\nbackground_after = 2\n[liveness]\nreconcile_every = 1\n'
  writeFileSync(config, `${readFileSync(config, 'utf8')}\n${program}${rules}`)
  expect((await tree.command(['init', '--no-prepare-agents'])).code).toBe(0)
  const body = {
    background_tasks: [{ id: 'b', type: 'shell', status: 'running', command: 'npm test' }],
    session_crons: [],
  }
  tree.script('builder', {
    steps: [
      { do: 'status', status: 'idle' },
      { do: 'stop', body },
    ],
  })
  const specs = [{ name: 'builder', prompt: 'x', agent: 'hooked' }]
  expect((await tree.call('spawn_workers', { specs })).errors).toEqual([])
  const what = 'a background task: npm test'
  await waitFor('it to rest for that', async () => {
    const { state, waits } = (await tree.agent('builder')) ?? {}
    return state === 'idle' && waits[0]?.what === what
  })
  expect((await tree.command(['status'])).stdout).toContain(`waits for ${what}, `)
  const [status] = (await tree.call('agent_status')).agents
  expect(status.waits).toEqual([{ what, since: expect.stringMatching(/Z$/) }])
  expect((await tree.command(['tree'])).stdout).toContain(`idle: ${what}`)
  const sent = async (): Promise<string[]> =>
    (await tree.call('inbox')).messages.map(({ kind }: { kind: string }) => kind)
  await waitFor('it to be reported as stalled', async () => (await sent()).includes('agent.silent'))
  expect(await sent()).not.toContain('agent.idle')
  expect(JSON.stringify(await tree.call('inbox'))).toContain(`it waits for ${what}`)
})

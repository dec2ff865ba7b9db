import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startExomonad, type Exomonad, type ExomonadOptions } from '../../helpers/daemon.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/**
 * Settings that other tests leave as they are, each with another value and what a user sees of it.
 */

async function start(
  config: string,
  options: Omit<ExomonadOptions, 'config'> = {},
): Promise<Exomonad> {
  const tree = await startExomonad({ ...options, config })
  onTestFinished(() => tree.stop())
  return tree
}
const workers = (tree: Exomonad, names: readonly string[], as?: string) =>
  tree.call(
    'spawn_workers',
    { specs: names.map((name) => ({ name, prompt: 'Do it' })) },
    as === undefined ? {} : { as },
  )
const filing = (name: string, ...more: object[]) => [
  { do: 'write', path: `${name}.txt`, content: `${name}\n` },
  { do: 'commit', message: `Add ${name}` },
  { do: 'tool', name: 'file_pr', input: { title: `Add ${name}`, body: 'As asked.' } },
  ...more,
]
const event = (tree: Exomonad, type: string): Promise<any> =>
  waitFor(`an event ${type}`, async () => (await tree.events()).find((one) => one.type === type))
const pullOf = (tree: Exomonad, agent: string): Promise<any> =>
  waitFor(`the pull request of ${agent}`, async () =>
    (await tree.call('pr_list')).pull_requests.find((pull: any) => pull.agent === agent),
  )

it('silent_after: the parent is notified of an agent that works and says nothing, once; reconcile_every: as soon as that', async () => {
  const tree = await start('[liveness]\nsilent_after = 1\nreconcile_every = 1\n')
  for (const name of ['quiet', 'later'])
    tree.script(name, { steps: [{ do: 'file', path: join(tree.scripts, 'never') }] })
  await workers(tree, ['quiet'])
  // Sooner than the default’s first look.
  expect(await event(tree, 'agent.silent')).toMatchObject({
    payload: { name: 'quiet', minutes: 0 },
  })
  await waitFor('the message', async () =>
    JSON.stringify(await tree.call('inbox')).includes('quiet'),
  )
  // What it said last comes after this; a program that takes its time to start is silent before it,
  // too.
  const { at } = await tree.logged('quiet', 'its start', ({ kind }) => kind === 'ready')
  const silences = async (name: string) =>
    (await tree.events()).filter(
      ({ type, payload }) => type === 'agent.silent' && payload.name === name,
    )
  const last = await waitFor('the silence since its last word', async () =>
    (await silences('quiet')).find(({ payload }) => Number(payload.dedupe) >= at),
  )
  // By the time a later look reports another, it was looked at again, and had said nothing since.
  await workers(tree, ['later'])
  await waitFor('the other to be reported', async () => (await silences('later')).length > 0)
  expect((await silences('quiet')).filter(({ seq }) => seq >= last.seq)).toHaveLength(1)
})

it('stalled_after, review_timeout: a pull request that nobody looks at, and that makes no progress, is reported', async () => {
  const tree = await start(
    '[forge]\npoll_active = 1\npoll_idle = 1\nreview_timeout = 2\nstalled_after = 3\n',
  )
  tree.script('author', { steps: filing('author') })
  await workers(tree, ['author'])
  expect(await event(tree, 'review.timeout')).toMatchObject({
    payload: { number: 1, minutes: 0 },
  })
  expect(await event(tree, 'pr.stalled')).toMatchObject({
    payload: { number: 1, reason: expect.stringContaining('nothing happened') },
  })
  const asked = (await tree.events()).filter(({ type }) => type === 'review.timeout')
  expect(asked).toHaveLength(1)
})

it('agents_may_force: a parent merges what its red check holds', async () => {
  const tree = await start('[merge]\nagents_may_force = true\n[forge.local]\nci = ["false"]\n')
  await tree.call('spawn_subtree', { task: 'Lead', branch_name: 'lead' })
  tree.script('red', { steps: filing('red') })
  await workers(tree, ['red'], 'lead')
  const { number } = await pullOf(tree, 'red')
  await waitFor('the red check', async () => (await pullOf(tree, 'red')).checks === 'failed')
  expect(await tree.refusal('merge_pr', { pr_number: number }, { as: 'lead' })).toMatchObject({
    code: 'CHECKS_FAILED',
  })
  const token = readFileSync(join(tree.state, 'auth', (await tree.agent('lead')).id), 'utf8').trim()
  const forced = await tree.run(['call', 'merge_pr', '-'], {
    env: { EXOMONAD_TOKEN: token },
    input: JSON.stringify({ pr_number: number, force: true }),
  })
  expect(forced.json).toMatchObject({ merged: true })
})

it('ci_parallel: with one at a time no check begins before another has ended', async () => {
  const folder = mkdtempSync(join(tmpdir(), 't-ci-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const log = join(folder, 'log')
  const tree = await start(
    `[forge.local]\nci_parallel = 1\nci = ["sh", "-c", "echo begin >> ${log}; sleep 0.7; echo end >> ${log}"]\n`,
  )
  for (const name of ['a', 'b', 'c']) tree.script(name, { steps: filing(name) })
  await workers(tree, ['a', 'b', 'c'])
  const lines = await waitFor(
    'three checks',
    () =>
      existsSync(log) &&
      readFileSync(log, 'utf8').trim().split('\n').length === 6 &&
      readFileSync(log, 'utf8'),
  )
  expect(lines).toBe('begin\nend\n'.repeat(3))
})

it('ci_timeout: a check that takes longer is ended and counts as failed', async () => {
  const tree = await start(
    '[forge.local]\nci_timeout = 4\nci = ["sh", "-c", "echo begun; sleep 600"]\n',
  )
  tree.script('slow', { steps: filing('slow') })
  await workers(tree, ['slow'])
  const { number } = await pullOf(tree, 'slow')
  await waitFor(
    'the end of the check',
    async () => (await pullOf(tree, 'slow')).checks === 'failed',
  )
  const { checks } = await tree.call('pr_checks', { pr_number: number })
  expect(JSON.stringify(checks)).toMatch(/begun.*(4 s|second|time)/)
})

it('rebase_tries: with one the parent is asked at the second stop', async () => {
  const tree = await start('[stop]\nrebase_tries = 1\n', { files: { 'shared.txt': 'base\n' } })
  const go = join(tree.scripts, 'go')
  tree.script('late', {
    steps: [
      { do: 'write', path: 'shared.txt', content: 'late\n' },
      { do: 'commit', message: 'Change it' },
      { do: 'file', path: go },
    ],
    // It does nothing about the conflict.
    on: [{ match: '.', steps: [] }],
  })
  await workers(tree, ['late'])
  await tree.repository.commit({ 'shared.txt': 'main\n' })
  await tree.repository.git('push', '-q', 'exomonad', 'main')
  writeFileSync(go, '')
  const asked = await event(tree, 'question.asked')
  expect(JSON.stringify(asked)).toContain('after 1 tries')
  // Handed back once, not three times, and then notified that its parent was asked.
  const blocked = await waitFor('it to be notified', async () => {
    const objections = (await tree.events())
      .filter(({ type }) => type === 'stop.blocked')
      .map(({ payload }) => payload.objection)
    return objections.includes('rebase_given_up') && objections
  })
  expect(blocked.filter((objection: string) => objection.startsWith('rebase_'))).toEqual([
    'rebase_conflict',
    'rebase_given_up',
  ])
})

it('setup_timeout: a setup command that takes longer undoes the spawn', async () => {
  const tree = await start(
    '[worktree]\nsetup = [["sh", "-c", "echo installing; sleep 600"]]\nsetup_timeout = 1\n',
  )
  const { spawned, errors } = await workers(tree, ['a'])
  expect(spawned).toEqual([])
  expect(errors).toMatchObject([
    { name: 'a', code: 'SPAWN_FAILED', error: expect.stringMatching(/installing|1 s|time/) },
  ])
  expect(await tree.repository.git('branch', '--list', 'main.a')).toBe('')
})

it('events_days: what is older is gone after a start of the daemon, and what is younger stays', async () => {
  const tree = await start('')
  await workers(tree, ['a'])
  await tree.logged('a', 'its start', (entry) => entry['kind'] === 'ready')
  const spawned = async () => (await tree.events()).some(({ type }) => type === 'agent.spawned')
  expect(await spawned()).toBe(true)
  const config = join(tree.repository.path, '.exomonad', 'config.toml')
  appendFileSync(config, '\n[retention]\nevents_days = 0.00001\n')
  await tree.command(['daemon', 'stop'])
  // Ten seconds after a start, then each hour.
  await tree.command(['daemon', 'start'])
  await waitFor('the old ones to go', async () => !(await spawned()))
})

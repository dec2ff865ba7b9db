import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'

/**
 * Landing with the real daemon and agents: who is woken by what, and what a rebase at a stop costs.
 */

const write = (path: string, content: string) => ({ do: 'write', path, content })
const commit = (message: string) => ({ do: 'commit', message })
const filePr = { do: 'tool', name: 'file_pr', input: { title: 'Work', body: 'Done' } }
const spawn = (tree: Exomonad, names: readonly string[], as: string) =>
  tree.call('spawn_workers', { specs: names.map((name) => ({ name, prompt: 'x' })) }, { as })
const filed = async (tree: Exomonad, name: string): Promise<number> =>
  (await tree.logged(name, 'its pull request', (entry) => entry['name'] === 'file_pr'))['answer']
    .pr_number
const texts = (tree: Exomonad, name: string): string[] =>
  tree.log(name).flatMap((entry) => (entry['kind'] === 'message' ? [entry['text']] : []))
const rests = (tree: Exomonad, name: string) =>
  waitFor(`${name} to rest`, async () => {
    const agent = await tree.agent(name)
    return agent.state === 'idle' && agent.undelivered === 0
  })
const shown = (tree: Exomonad, number: number) => tree.call('pr_show', { pr_number: number })

interface Noted {
  readonly tree: Exomonad
  readonly notes: string
  readonly runs: () => number
  readonly stop: () => Promise<void>
}

/** A tree whose check notes its runs and waits while `hold` is there. */
async function openNoted(config = ''): Promise<Noted> {
  const notes = mkdtempSync(join(tmpdir(), 't-landing-'))
  const check = `echo run >> ${notes}/runs; while test -e ${notes}/hold; do sleep 0.05; done; test ! -e bad.txt`
  writeFileSync(join(notes, 'runs'), '')
  const tree = await startExomonad({
    files: { 'shared.txt': 'base\n' },
    config: `[forge.local]\nci = ["sh", "-c", ${JSON.stringify(check)}]\n${config}`,
  })
  return {
    tree,
    notes,
    runs: () => readFileSync(join(notes, 'runs'), 'utf8').split('\n').length - 1,
    stop: async () => {
      await tree.stop()
      rmSync(notes, { recursive: true })
    },
  }
}

/** Of all that don’t look at each event, each with a lead of its own. */
let noted: Noted
beforeAll(async () => {
  noted = await openNoted()
})
afterAll(() => noted?.stop())

async function spawnLead(tree: Exomonad, name: string): Promise<void> {
  tree.script(name, {})
  await tree.call('spawn_subtree', { task: 'x', branch_name: name })
  await tree.logged(name, 'its start', (entry) => entry['kind'] === 'ready')
  await rests(tree, name)
}

it('wakes the lead once for a pull request that is green, and its owner not at all until it is merged', async () => {
  const { tree } = noted
  await spawnLead(tree, 'lead')
  tree.script('one', { steps: [write('one.txt', '1\n'), commit('One'), filePr] })
  await spawn(tree, ['one'], 'lead')
  const number = await filed(tree, 'one')
  const ready = await waitFor('the lead to be notified', () =>
    texts(tree, 'lead').find((text) => text.includes('[PR READY]')),
  )
  expect(ready).toContain((await shown(tree, number)).head_sha.slice(0, 10))
  await rests(tree, 'one')
  await rests(tree, 'lead')
  expect(texts(tree, 'lead')).toHaveLength(1)
  expect(texts(tree, 'one')).toEqual([])
  const types = (await tree.events()).map(({ type }) => type)
  for (const type of ['agent.started', 'agent.idle', 'pr.opened', 'ci.pending', 'ci.passed'])
    expect(types).toContain(type)

  await tree.call('merge_pr', { pr_number: number }, { as: 'lead' })
  // That is news which needs nothing: it comes with what does.
  await waitFor('its owner to be about to be notified', async () =>
    (await tree.events()).some(
      ({ type, payload }) => type === 'pr.merged' && payload.number === number,
    ),
  )
  await rests(tree, 'one')
  expect(texts(tree, 'one')).toEqual([])
  await tree.call('send', { to: 'one', message: 'Anything else?' })
  await waitFor('its owner to be notified', () => texts(tree, 'one').length === 1)
  expect(texts(tree, 'one')[0]).toMatch(/Anything else\?[^]*- \[MERGED\] Your pull request #/)
  await rests(tree, 'one')
  await rests(tree, 'lead')
  // It idles, merged: nothing is needed of anybody.
  expect(texts(tree, 'lead').filter((text) => /^\[(?!MERGED)/.test(text))).toHaveLength(1)
  // One that rests with nothing filed is reported.
  tree.script('empty', {})
  await spawn(tree, ['empty'], 'lead')
  await waitFor('the lead to be notified of it', () =>
    texts(tree, 'lead').some((text) => text.includes('[CHILD IDLE] empty')),
  )
})

it(
  verifies(
    'R004-10',
    'a rebase at a stop keeps the checks and what was reported, and merge_pr follows it; while it lands, nothing is rebased',
  ),
  async () => {
    const { tree, notes, runs } = noted
    await spawnLead(tree, 'chief')
    for (const name of ['first', 'second', 'third'])
      tree.script(name, { steps: [write(`${name}.txt`, `${name}\n`), commit(name), filePr] })
    await spawn(tree, ['first', 'second', 'third'], 'chief')
    const [one, two, three] = [
      await filed(tree, 'first'),
      await filed(tree, 'second'),
      await filed(tree, 'third'),
    ]
    for (const number of [one, two, three]) {
      await waitFor('its checks', async () => (await shown(tree, number)).checks === 'passed')
    }
    await waitFor('all to be reported ready', () =>
      [one, two, three].every((number) =>
        texts(tree, 'chief').some((text) => text.includes(`[PR READY] #${number} `)),
      ),
    )
    for (const name of ['first', 'second', 'third']) await rests(tree, name)
    const { head_sha: looked } = await tree.call('pr_diff', { pr_number: two }, { as: 'chief' })
    await tree.call('merge_pr', { pr_number: one }, { as: 'chief' })
    const delivered = () =>
      texts(tree, 'chief').filter((text) => text.includes('[PR READY]')).length
    const before = [runs(), delivered()]

    // Its next stop rebases what it has filed.
    await tree.call('send', { to: 'second', message: 'anything new?' })
    await waitFor('the rebase', async () =>
      (await tree.events()).some(
        ({ type, payload }) => type === 'rebase.done' && payload.from === looked,
      ),
    )
    const now = await waitFor('the new head', async () => {
      const pull = await shown(tree, two)
      return pull.head_sha !== looked && pull
    })
    expect(now).toMatchObject({ checks: 'passed' })
    await rests(tree, 'second')
    expect([runs(), delivered()]).toEqual(before)

    // While the result is being checked, a stop of its agent leaves the head alone.
    writeFileSync(join(notes, 'hold'), '')
    const landing = await tree.call(
      'merge_pr',
      { pr_number: two, head_sha: looked },
      { as: 'chief' },
    )
    expect(landing).toMatchObject({ state: 'landing', merged: false, rebased_from: looked })
    await waitFor(
      'the check of the result',
      async () => (await shown(tree, two)).landing?.step === 'checking',
    )
    expect((await tree.agent('second')).pr).toMatchObject({
      state: 'open',
      landing: { step: 'checking' },
    })
    expect((await tree.command(['tree'])).stdout).toContain(`#${two} landing`)
    expect((await tree.command(['pr', 'show', String(two)])).stdout).toMatch(
      /landing\s+its result is being checked/,
    )
    expect(await tree.call('merge_pr', { pr_number: two }, { as: 'chief' })).toMatchObject({
      state: 'landing',
    })
    await tree.call('send', { to: 'second', message: 'still there?' })
    await waitFor('its turn', () =>
      texts(tree, 'second').some((text) => text.includes('still there?')),
    )
    await rests(tree, 'second')
    expect((await shown(tree, two)).head_sha).toBe(now.head_sha)
    rmSync(join(notes, 'hold'))
    await waitFor('it to land', async () => (await shown(tree, two)).state === 'merged')
    // The parent’s worktree has it a moment after the forge says so.
    const inLead = join((await tree.agent('chief')).worktree, 'second.txt')
    await waitFor('the parent to have it', () => readFileSync(inLead, 'utf8') === 'second\n')
    // The lead asked, whoever spoke for it.
    await waitFor('who asked to be notified', () =>
      texts(tree, 'chief').some((text) => text.includes(`[LANDED] #${two} `)),
    )

    // From a terminal, waited for.
    const merged = await tree.command(['pr', 'merge', String(three), '--wait', '--as', 'chief'])
    expect(merged.stdout).toContain(`Merged #${three}`)
  },
)

it('reports a conflict as soon as the base has moved, and withdraws what is no longer true before it is read', async () => {
  const { tree, stop } = await openNoted('[forge]\npoll_active = 3600\npoll_idle = 3600\n')
  onTestFinished(stop)
  // The lead is at work all the time: what is for it waits.
  tree.script('busy', { stop: false, steps: [{ do: 'print', text: 'busy' }] })
  await tree.call('spawn_subtree', { task: 'x', branch_name: 'busy' })
  for (const name of ['first', 'second'])
    tree.script(name, { steps: [write('shared.txt', `${name}\n`), commit(name), filePr] })
  await spawn(tree, ['first', 'second'], 'busy')
  const [first, second] = [await filed(tree, 'first'), await filed(tree, 'second')]
  for (const number of [first, second])
    await waitFor('its checks', async () => (await shown(tree, number)).checks === 'passed')
  for (const name of ['first', 'second']) await rests(tree, name)
  const events = async (type: string) =>
    (await tree.events()).filter((event) => event.type === type)
  await waitFor('both to be ready', async () => (await events('pr.ready')).length === 2)

  await tree.call('merge_pr', { pr_number: first })
  await waitFor(
    'the conflict to be reported',
    async () => (await events('pr.conflict')).length === 1,
  )
  const [conflict] = await events('pr.conflict')
  const [merged] = await events('pr.merged')
  expect(conflict.payload).toMatchObject({ number: second, files: ['shared.txt'] })
  // No poll in between: it is the merge that looked.
  expect(conflict.at - merged.at).toBeLessThan(5_000)
  await waitFor('its owner to be notified of it', () =>
    texts(tree, 'second').some((text) => text.includes('[CONFLICT]')),
  )
  // READY of both stood in the queue of the lead that never read it.
  const withdrawn = await waitFor('both to be withdrawn', async () => {
    const found = (await events('delivery.withdrawn')).filter(
      ({ payload }: any) => payload.reason !== 'there is newer news of it',
    )
    return found.length >= 2 && found
  })
  expect(withdrawn.map(({ payload }: any) => payload.reason).toSorted()).toEqual(
    [`#${first} is merged`, `#${second} can’t be merged any more`].toSorted(),
  )
})

it('closes in the inbox what is no longer so, and does not report a change request twice', async () => {
  const { tree, notes } = noted
  tree.script('mine', { steps: [write('a.txt', 'a\n'), commit('A'), filePr] })
  await tree.call('spawn_workers', { specs: [{ name: 'mine', prompt: 'x' }] })
  const number = await filed(tree, 'mine')
  const inbox = async () =>
    (await tree.call('inbox')).messages.map(({ text }: any) => text as string)
  const isReady = async () =>
    (await inbox()).some((text: string) => text.includes(`[PR READY] #${number} `))
  await waitFor('it to be ready', isReady)
  await tree.call('merge_pr', { pr_number: number })
  await waitFor('the inbox to be without it', async () => !(await isReady()))

  // It is in its turn when the review comes: the stop check reports it, and the message that waits
  // is withdrawn.
  const go = join(notes, 'go')
  tree.script('author', {
    steps: [write('b.txt', 'b\n'), commit('B'), filePr, { do: 'file', path: go }],
    on: [
      {
        match: 'Changes were requested',
        once: true,
        steps: [write('b.txt', 'better\n'), commit('Better'), filePr],
      },
    ],
  })
  await tree.call('spawn_workers', { specs: [{ name: 'author', prompt: 'x' }] })
  const second = await filed(tree, 'author')
  await tree.call('pr_review', {
    pr_number: second,
    verdict: 'request_changes',
    body: 'Say it better.',
    comments: [],
  })
  writeFileSync(go, '')
  await waitFor('the change request', () =>
    texts(tree, 'author').some((text) => text.includes('Say it better.')),
  )
  await waitFor('the fix', async () => (await shown(tree, second)).review !== 'changes_requested')
  await rests(tree, 'author')
  expect(texts(tree, 'author').filter((text) => text.includes('Say it better.'))).toHaveLength(1)
})

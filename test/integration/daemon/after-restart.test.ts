import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, it, onTestFinished } from 'vitest'
import { openSqliteStore } from '../../../src/adapters/store/sqlite/open.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { endTerminals, startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { describeWith } from '../../helpers/terminals/require-tool.ts'
import { isAlive } from '../../helpers/processes.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'

/** What is found after daemon or machine went away. */

const ready = (tree: Exomonad, name: string) =>
  tree.logged(name, 'its start', (entry) => entry['kind'] === 'ready')
const texts = (tree: Exomonad, name: string): string[] =>
  tree.log(name).flatMap((entry) => (entry['kind'] === 'message' ? [entry['text']] : []))
const worker = (tree: Exomonad, ...names: string[]) =>
  tree.call('spawn_workers', { specs: names.map((name) => ({ name, prompt: 'Nothing to do.' })) })

describeWith(['tmux'], 'after a reboot', () => {
  it('ids of panes that now belong to others neither hide, show nor end them', async () => {
    const tree = await startExomonad({ multiplexer: 'tmux' })
    onTestFinished(() => tree.stop())
    await worker(tree, 'early', 'late')
    await Promise.all(['early', 'late'].map((name) => ready(tree, name)))
    await tree.crash()
    await endTerminals(
      await tree.repository.git('rev-parse', '--path-format=absolute', '--git-common-dir'),
      tree.repository.env,
    )
    await waitFor('both to be known as failed', async () => (await tree.tree()).counts.failed === 2)
    const [early, late] = [await tree.agent('early'), await tree.agent('late')]
    // The new server counts from the beginning: these get the panes that the old ones had.
    await worker(tree, 'third', 'fourth')
    const fresh = [await tree.agent('third'), await tree.agent('fourth')]
    expect(fresh.map((agent) => agent.pane).sort()).toEqual([early.pane, late.pane].sort())

    expect(await tree.refusal('attach', { agent: 'early' })).toMatchObject({ code: 'PANE_GONE' })
    expect((await tree.call('resume', { agent: 'late' })).resumed).toMatchObject([{ name: 'late' }])
    expect((await tree.call('clean')).removed.map((one: any) => one.agent)).toEqual(['early'])
    for (const agent of fresh) {
      expect(process.kill(agent.pid, 0)).toBe(true)
      expect(await tree.agent(agent.name)).toMatchObject({ pid: agent.pid, pane: agent.pane })
    }
  })
})

it(
  verifies(
    'R004-14',
    'an answer that a crash kept from its asker comes once, as a message; an agent that died meanwhile is reported once',
  ),
  async () => {
    const tree = await startExomonad()
    onTestFinished(() => tree.stop())
    tree.script('asker', {
      steps: [{ do: 'tool', name: 'question', input: { message: 'which port?', timeout: 0 } }],
    })
    await worker(tree, 'asker', 'doomed', 'cut')
    const pending = await tree.logged(
      'asker',
      'the pending answer',
      (entry) => entry['kind'] === 'tool',
    )
    await Promise.all(['doomed', 'cut'].map((name) => ready(tree, name)))
    const cut = await tree.agent('cut')
    const { pid } = await tree.agent('doomed')
    await tree.crash()
    process.kill(pid, 'SIGKILL')
    // As a daemon that ended between writing the answer down and handing it over leaves it.
    const store = await openSqliteStore({ file: join(tree.state, 'store.db'), log: silentLog() })
    await store.questions.answer(pending['answer'].question_id, 'port 8080', 'human', Date.now())
    // And one that ended in the middle of `resume`.
    await store.agents.update(cut.id, { state: 'spawning', paneId: null, pid: null })
    await store.close()
    await waitFor(
      'the answer',
      () =>
        texts(tree, 'asker').some((text) => text.includes('port 8080')) ||
        tree.tree().then(() => false),
    )
    await waitFor('all to be acked', async () => (await tree.agent('asker')).undelivered === 0)
    expect(texts(tree, 'asker').filter((text) => text.includes('port 8080'))).toHaveLength(1)
    const back = await waitFor('the one whose start was cut off', async () => {
      const agent = await tree.agent('cut')
      return agent.state !== 'spawning' && agent
    })
    // It lives in the terminal that it had; what it does is its own affair.
    expect(back).toMatchObject({
      state: expect.stringMatching(/running|idle/),
      pane: cut.pane,
      pid: cut.pid,
    })
    await waitFor(
      'the end of the doomed one to be known',
      async () => (await tree.agent('doomed')).state === 'failed',
    )
    const events = await tree.events()
    expect(events.filter((event) => event.type === 'question.answered')).toHaveLength(1)
    expect(
      events.filter((event) => event.type === 'agent.failed' && event.payload.name === 'doomed'),
    ).toHaveLength(1)
  },
)

it('one that is brought back is notified again of the mail that its earlier program never took; two starts at once make one program', async () => {
  const tree = await startExomonad()
  onTestFinished(() => tree.stop())
  tree.script('reader', {
    on: [
      {
        match: 'call check_mail',
        steps: [{ do: 'sh', command: 'kill -9 $PPID', allow_failure: true }],
      },
    ],
  })
  await worker(tree, 'reader')
  await waitFor('the reader to idle', async () => (await tree.agent('reader')).state === 'idle')
  tree.script('writer', {
    steps: [{ do: 'tool', name: 'send', input: { to: 'reader', message: 'part one' } }],
  })
  await worker(tree, 'writer')
  await waitFor('the reader to fail', async () => (await tree.agent('reader')).state === 'failed')
  tree.script('reader', {})
  expect((await tree.call('resume', { agent: 'reader' })).resumed).toHaveLength(1)
  await waitFor(
    'the line again',
    () => texts(tree, 'reader').filter((text) => text.includes('call check_mail')).length === 2,
  )
  expect((await tree.call('check_mail', {}, { as: 'reader' })).messages).toMatchObject([
    { name: 'writer', message: 'part one' },
  ])

  const ups = await Promise.allSettled([
    tree.call('up', { task: 'Lead' }),
    tree.call('up', { task: 'Lead' }),
  ])
  expect(ups.some((one) => one.status === 'fulfilled')).toBe(true)
  await ready(tree, 'root')
  expect(tree.log('root').filter((entry) => entry['kind'] === 'started')).toHaveLength(1)
})

it('turns that began and ended while the daemon was down leave the agent idle, and it gets what waits', async () => {
  const tree = await startExomonad()
  onTestFinished(() => tree.stop())
  const hooks = join(import.meta.dirname, '..', '..', '..', 'hooks')
  const [down, done] = ['down', 'done'].map((name) => join(tree.repository.folder, name))
  const spooled = ['stop', 'prompt', 'tool', 'stop']
    .map((name) => `sh '${hooks}/${name}.sh' </dev/null; sleep 0.02`)
    .join('; ')
  tree.script('busy', {
    steps: [
      { do: 'file', path: down },
      { do: 'sh', command: `${spooled}; touch '${done}'` },
    ],
    stop: false,
  })
  await worker(tree, 'busy')
  // The daemon knows that it began its turn: from here on it asks for nothing.
  await tree.logged('busy', 'its first step', (entry) => entry['kind'] === 'step')
  await tree.crash()
  writeFileSync(down ?? '', '')
  await waitFor('its turns', () => existsSync(done ?? ''))
  expect(readdirSync(join(tree.state, 'spool'))).toHaveLength(4)
  await waitFor('it to be known as idle', async () => (await tree.agent('busy')).state === 'idle')
  await tree.call('send', { to: 'busy', message: 'good morning' })
  await waitFor('the message', () =>
    texts(tree, 'busy').some((text) => text.includes('good morning')),
  )
})

it('a terminal whose agent is in no record is closed, with what runs in it', async () => {
  const tree = await startExomonad({ config: '[liveness]\nreconcile_every = 1\n' })
  onTestFinished(() => tree.stop())
  await worker(tree, 'kept', 'orphan')
  await Promise.all(['kept', 'orphan'].map((name) => ready(tree, name)))
  const [kept, orphan] = [await tree.agent('kept'), await tree.agent('orphan')]
  await tree.crash()
  // As a spawn leaves it that was taken back while its terminal could not be closed.
  const store = await openSqliteStore({ file: join(tree.state, 'store.db'), log: silentLog() })
  await store.transaction(async (tx) => {
    await tx.agents.remove(orphan.id)
    await tx.runs.remove(orphan.id)
  })
  await store.close()
  await tree.command(['daemon', 'start'])
  await waitFor('the terminal to be closed', () => !isAlive(orphan.pid))
  expect(isAlive(kept.pid)).toBe(true)
  expect(await tree.agent('kept')).toMatchObject({ state: expect.stringMatching(/idle|running/) })
})

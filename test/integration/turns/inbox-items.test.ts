import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Inbox } from '../../../src/surfaces/text/inbox/inbox-answer.ts'
import { askHealth } from '../../../src/surfaces/cli/daemon/health.ts'
import { startExomonad, type Exomonad, type RunResult } from '../../helpers/daemon.ts'
import { nodesOf } from '../../helpers/terminals/layout.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/** Items of the inbox open and close by what happens, wherever it happens. */

const HOOKED = join(import.meta.dirname, '..', '..', 'fixtures', 'agents', 'hooked.js')

type Item = Inbox['items'][number]

let tree: Exomonad
beforeAll(async () => {
  tree = await startExomonad({ init: false })
  const config = join(tree.repository.path, '.exomonad', 'config.toml')
  const program = `[agents.hooked]\nadapter = "claude"\ncommand = [${JSON.stringify(process.execPath)}, ${JSON.stringify(HOOKED)}]\nenv = { SCRIPTED_AGENTS = ${JSON.stringify(tree.scripts)} }\n`
  const rules = `[roles.dev.permissions]\npolicy = "ask"\n[limits]\napproval_depth = 2\n[delivery]\nack_timeout = 1\n[liveness]\nreconcile_every = 2\n`
  writeFileSync(config, `${readFileSync(config, 'utf8')}\n${program}${rules}`)
  expect((await tree.command(['init', '--no-prepare-agents'])).code).toBe(0)
})
afterAll(() => tree.stop())

const inbox = (): Promise<Inbox> => tree.call('inbox')
const itemOf = async (agent: string): Promise<Item | undefined> =>
  (await inbox()).items.find((item) => item.agent === agent)
const opened = (agent: string, type: Item['type']): Promise<Item> =>
  waitFor(`the ${type} of ${agent}`, async () => {
    const item = await itemOf(agent)
    return item?.type === type && (await agrees()) ? item : undefined
  })
interface Shown {
  readonly name: string
  readonly matches: boolean
  readonly items: number
  readonly children: readonly Shown[]
}
const shownIn = (node: Shown): Shown[] => [node, ...node.children.flatMap(shownIn)]
/** The tree shows as many items of each agent, and narrowed to what needs the person those alone. */
const agrees = async (): Promise<boolean> => {
  const { items } = await inbox()
  const { root } = await tree.call('tree', { needs_me: true })
  const wanted = Map.groupBy(items, ({ agent }) => agent ?? root.name)
  const shown = shownIn(root).filter(({ matches }) => matches)
  return (
    shown.length === wanted.size &&
    shown.every((node) => node.items > 0 && wanted.get(node.name)?.length === node.items)
  )
}
const closed = (agent: string): Promise<true> =>
  waitFor(
    `nothing of ${agent} in the inbox`,
    async () => (await itemOf(agent)) === undefined && (await agrees()),
  )
const worker = async (name: string, script: object, more: object = {}): Promise<void> => {
  tree.script(name, script)
  const specs = [{ name, prompt: `Do ${name}.`, ...more }]
  expect((await tree.call('spawn_workers', { specs })).errors).toEqual([])
}
/** What is reported of all that happened was reported. Those with hooks end no turn, and stay. */
const allRest = (): Promise<true> =>
  waitFor('all to rest', async () =>
    (await nodesOf(tree)).every(
      ({ agent, state }) => agent === 'hooked' || !['running', 'spawning'].includes(state),
    ),
  )
const asking = { steps: [{ do: 'tool', name: 'question', input: { message: 'Which colour?' } }] }

describe('an item', () => {
  it('that is a question closes when it is answered, on any surface, and when whoever asked is over', async () => {
    await worker('asker', asking)
    const item = await opened('asker', 'question')
    expect(item).toMatchObject({ title: 'asker asks: Which colour?', text: 'Which colour?' })
    const same = await opened('asker', 'question')
    expect([same.id, same.since]).toEqual([item.id, item.since])
    await tree.call('answer_question', { agent: 'asker', message: 'Blue.' })
    expect(await itemOf('asker')).toBeUndefined()
    await worker('quitter', asking)
    await opened('quitter', 'question')
    await tree.call('kill', { agent: 'quitter' })
    expect(await itemOf('quitter')).toBeUndefined()
  })

  it('has the number that it was shown with, also once something before it was settled', async () => {
    await worker('earlier', asking)
    await opened('earlier', 'question')
    await worker('later', asking)
    await opened('later', 'question')
    const { items } = (await tree.command(['inbox', '--json'])).json
    const numberOf = (agent: string): string =>
      String(items.find((item: Item) => item.agent === agent).number)
    await tree.call('answer_question', { agent: 'earlier', message: 'Red.' })
    // It is another one’s by the order of now, and means that one once it was shown so.
    expect(
      (await tree.command(['inbox', numberOf('earlier'), '--answer', 'Green.'])).stderr,
    ).toContain('What it asked for has happened')
    expect((await tree.command(['inbox', numberOf('later')])).stdout).toContain('later asks')
    const [next] = (await tree.run(['next', '--json'])).json.items
    expect(next).toMatchObject({ agent: 'later', number: Number(numberOf('earlier')) })
    expect(await tree.command(['inbox', String(next.number), '--answer', 'Blue.'])).toMatchObject({
      code: 0,
    })
    await closed('later')
    // A list of all says anew which there are.
    const { length } = (await tree.command(['inbox', '--json'])).json.items
    expect(length).toBeLessThan(Number(numberOf('later')))
    expect((await tree.command(['inbox', numberOf('later')])).stderr).toMatch(/no item \d+:/)
    expect(await tree.command(['inbox', '--clear', '--agent', 'later', '--json'])).toMatchObject({
      json: { code: 'INVALID_ARG', field: 'clear' },
    })
  })

  it('that asks for approval is settled by its number, and only by what fits it', async () => {
    const input = { specs: [{ name: 'deeper', prompt: 'x' }] }
    tree.script('lead', { steps: [{ do: 'tool', name: 'spawn_workers', input }] })
    await tree.call('spawn_subtree', { task: 'x', branch_name: 'lead' })
    const { id } = await opened('lead', 'approval')
    const shown: Item[] = (await tree.command(['inbox', '--json'])).json.items
    const number = shown.findIndex((item) => item.id === id) + 1
    expect(await tree.command(['inbox', String(number), '--merge', '--json'])).toMatchObject({
      code: 1,
      json: { code: 'INVALID_ARG', item: id, error: expect.stringContaining('Nothing was done') },
    })
    expect((await tree.command(['inbox', '99'])).stderr).toMatch(
      /no item 99: \d+ items? needs? you/,
    )
    expect(await tree.command(['inbox', String(number), '--deny', 'not so deep'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Denied: lead asks for approval: spawn main.lead.deeper'),
    })
    await closed('lead')
    const { answer } = await tree.logged('lead', 'the refusal', ({ kind }) => kind === 'tool')
    expect(answer.error).toContain('not so deep')
  })

  it('that asks for approval is closed in the store, too, when its agent is killed', async () => {
    const input = { specs: [{ name: 'never', prompt: 'x' }] }
    tree.script('doomed', { steps: [{ do: 'tool', name: 'spawn_workers', input }] })
    await tree.call('spawn_subtree', { task: 'x', branch_name: 'doomed' })
    const { id } = await opened('doomed', 'approval')
    await tree.call('kill', { agent: 'doomed' })
    const decided = await waitFor('it to be closed', async () =>
      (await tree.events()).find(
        ({ type, payload }) =>
          type === 'approval.decided' && `approval:${payload.approval_id}` === id,
      ),
    )
    expect(decided).toMatchObject({
      actor: 'daemon',
      payload: { decision: 'denied', reason: 'its agent has ended', ended: true },
    })
    const { approvals, news } = await inbox()
    expect(approvals).toEqual([])
    expect(JSON.stringify(news)).not.toContain('main.doomed.never')
    expect((await tree.tree()).inbox.approvals).toBe(0)
  })

  it('that asks for permission, or stands in a terminal, closes when it was answered there', async () => {
    const gone = (name: string) => join(tree.scripts, `${name}.gone`)
    await worker(
      'permits',
      {
        steps: [
          {
            do: 'ask',
            name: 'Bash',
            input: { command: 'make' },
            by: 'terminal',
            path: gone('permits'),
          },
          { do: 'tool', name: 'Bash', input: { command: 'make' } },
        ],
      },
      { agent: 'hooked' },
    )
    // The role of tech leads leaves such questions where they are asked.
    const steps = [
      { do: 'ask', name: 'Bash', input: { command: 'git push' } },
      { do: 'file', path: gone('stands') },
      { do: 'tool', name: 'Bash', input: { command: 'git push' } },
    ]
    tree.script('stands', { steps })
    await tree.call('spawn_subtree', { task: 'x', branch_name: 'stands', agent: 'hooked' })
    const permission = await opened('permits', 'permission')
    expect(permission.settle[0]).toMatch(/^exomonad approve perm-/)
    const { settle, title } = await opened('stands', 'terminal')
    expect(settle).toEqual(['exomonad attach stands', 'exomonad logs stands'])
    expect(title).toContain('git push')
    writeFileSync(gone('permits'), '')
    writeFileSync(gone('stands'), '')
    await closed('permits')
    await closed('stands')
  })

  it('that is a pull request closes when it was merged by hand, with git', async () => {
    await worker('filer', {
      steps: [
        { do: 'write', path: 'filed.txt', content: 'x\n' },
        { do: 'commit', message: 'File it' },
        { do: 'tool', name: 'file_pr', input: { title: 'File it', body: 'x' } },
      ],
    })
    const item = await opened('filer', 'pull')
    expect(item.title).toBe(`#${item.id.slice(5)} “File it” of filer can be merged into main`)
    expect((await tree.command(['inbox', item.id])).stdout).toContain(
      `  exomonad pr merge ${item.id.slice(5)}\n`,
    )
    await tree.repository.git('merge', '-q', '--no-ff', '-m', 'By hand', 'main.filer')
    // Whoever looks at it next finds that out.
    await tree.call('pr_show', { pr_number: Number(item.id.slice(5)) })
    await closed('filer')
    expect(JSON.stringify((await inbox()).news)).not.toContain('can be merged')
  })

  it('that is a failure closes when its agent is resumed, sent more, or taken out of sight', async () => {
    await worker('crasher', { steps: [{ do: 'exit', code: 3 }] })
    await worker('second', { steps: [{ do: 'exit', code: 4 }] })
    await worker('unable', { steps: [{ do: 'complete', success: false, error: 'No access.' }] })
    expect((await opened('crasher', 'failed')).settle).toContain('exomonad resume crasher')
    await opened('second', 'failed')
    tree.script('crasher', {})
    await tree.call('resume', { agent: 'crasher' })
    expect(await itemOf('crasher')).toBeUndefined()
    await tree.call('reap')
    expect(await itemOf('second')).toBeUndefined()
    expect((await opened('unable', 'failed')).title).toBe('unable gave up: No access.')
    await tree.call('send', { to: 'unable', message: 'You have it now.' })
    // It has seen that; what came of the message is an item of its own until it is confirmed.
    expect((await itemOf('unable'))?.type).not.toBe('failed')
    await waitFor('the message to be confirmed', async () => {
      const { undelivered, undecided } = await tree.agent('unable')
      return undelivered === 0 && undecided === 0
    })
    await waitFor('it to rest again', async () => (await tree.agent('unable')).state === 'idle')
    expect(await itemOf('unable')).toBeUndefined()
  })

  it('that is a message of which nobody knows whether it arrived closes when that is confirmed late', async () => {
    await worker('mute', { ack: 'none' })
    await waitFor('it to rest', async () => (await tree.agent('mute'))?.state === 'idle')
    await tree.call('send', { to: 'mute', message: 'Do you hear me?' })
    const item = await opened('mute', 'delivery')
    const [, ack = ''] = item.settle
    expect(ack).toMatch(/^exomonad --as mute ack m-[0-9a-f]{12}$/)
    expect((await tree.run(ack.split(' ').slice(1))).code).toBe(0)
    expect(await itemOf('mute')).toBeUndefined()
  })
})

describe('beside items', () => {
  it('news are one line for each agent until they are marked as read, which leaves items', async () => {
    const note = (message: string) => ({ do: 'tool', name: 'note', input: { message } })
    await allRest()
    await tree.call('inbox', { clear: true })
    await worker('noter', {
      steps: [note('one'), note('two'), note('three'), ...asking.steps],
    })
    await opened('noter', 'question')
    const { items, news, messages } = await inbox()
    expect(news).toMatchObject([
      { agent: 'noter', count: 3, kinds: ['note'], newest: { text: '[NOTE] noter: three' } },
    ])
    expect(messages.map(({ kind }) => kind)).toEqual(['note', 'note', 'note', 'question.asked'])
    // What nobody saw stays.
    const [first, ...others] = messages
    await tree.call('inbox', { clear: true, seen: [first?.id, 'm-none'] })
    expect((await inbox()).messages).toEqual(others)
    expect(await tree.refusal('inbox', { seen: [] })).toMatchObject({
      code: 'INVALID_ARG',
      field: 'seen',
    })
    expect((await inbox()).messages).toEqual(others)
    const counted = { items: items.length, news: 2 }
    expect((await tree.tree()).inbox).toMatchObject(counted)
    await tree.call('inbox', { clear: true })
    expect(await inbox()).toMatchObject({ items, news: [], messages: [] })
    expect((await tree.tree()).inbox).toMatchObject({ ...counted, news: 0 })
  })

  it('narrow by agent and type without moving numbers', async () => {
    await worker('late', asking)
    const { number } = await opened('late', 'question')
    const narrowed = async (input: object): Promise<unknown[]> =>
      (await tree.call('inbox', input)).items.map((item: Item) => [item.agent, item.number])
    expect(await narrowed({ agent: 'late' })).toEqual([['late', number]])
    expect(await narrowed({ agent: 'late', item: 'next' })).toEqual([['late', number]])
    expect(await narrowed({ agent: 'late', type: 'pull' })).toEqual([])
    expect(number).toBeGreaterThan(1)
    expect(await tree.refusal('inbox', { agent: 'nobody' })).toMatchObject({
      code: 'AGENT_NOT_FOUND',
    })
  })
})

describe('status --short', () => {
  const short = (options = {}) => tree.command(['status', '--short'], options)
  /** It waits half a second for its answer, which may be too little on a busy machine. */
  const inTime = (asked: () => Promise<RunResult>) =>
    waitFor('an answer in time', async () => {
      const said = await asked()
      return said.stdout !== '' && said
    })

  it('counts who works and what needs the person; in agents and outside of repositories it says nothing', async () => {
    await allRest()
    const { working, items } = await tree.call('attention')
    expect(items).toBe((await inbox()).items.length)
    expect(items).toBeGreaterThan(0)
    const at = working === 0 ? '' : ` ${working} ◐`
    expect(await inTime(short)).toMatchObject({
      code: 0,
      stdout: `exo${at} ${items} !\n`,
      stderr: '',
    })
    expect(await inTime(() => short({ env: { LC_ALL: 'C' } }))).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^exo [ -~]*\d !\n$/),
    })
    const nothing = { code: 0, stdout: '', stderr: '' }
    expect(await short({ cwd: tree.repository.folder })).toMatchObject(nothing)
    expect(await short({ cwd: (await tree.agent('late')).worktree })).toMatchObject(nothing)
    expect(await short({ env: { EXOMONAD_AGENT_ID: 'x' } })).toMatchObject(nothing)
    const asJson = ['-C', tree.repository.path, 'status', '--short', '--json']
    expect((await inTime(() => tree.run(asJson))).json).toEqual({
      working: expect.any(Number),
      items,
    })
  })

  it('says nothing where no daemon runs, after a crash too, and starts none', async () => {
    const { socket } = JSON.parse(readFileSync(join(tree.state, 'repository.json'), 'utf8'))
    await tree.crash()
    for (const argv of [
      ['status', '--short'],
      ['-C', '.', 'status', '--short'],
    ])
      expect(await tree.run(argv)).toMatchObject({ code: 0, stdout: '', stderr: '' })
    expect(await askHealth(socket)).toBe('absent')
  })
})

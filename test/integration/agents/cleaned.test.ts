import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import process from 'node:process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { isAlive } from '../../helpers/processes.ts'
import { waitFor } from '../../helpers/wait-for.ts'

it('an agent that was cleaned away is neither counted nor brought back, and what happened to it still has its name', async () => {
  const tree = await startExomonad()
  onTestFinished(() => tree.stop())
  tree.script('short', { steps: [{ do: 'exit', code: 3 }] })
  await tree.call('spawn_workers', { specs: [{ name: 'short', prompt: 'x' }] })
  await waitFor('its failure', async () => (await tree.agent('short')).state === 'failed')
  // Said once, not a second time in brackets.
  expect((await tree.command(['inbox'])).stdout).toMatch(
    /^1 {2}failed {2}short failed: its program ended with exit code 3 {2}\S+/m,
  )
  expect((await tree.tree()).counts).toMatchObject({ agents: 1, failed: 1 })

  expect((await tree.command(['clean', '--json'])).json).toMatchObject({
    removed: [{ agent: 'short' }],
  })
  expect((await tree.tree()).counts).toEqual({ agents: 0, live: 0, done: 0, failed: 0 })
  expect(await tree.command(['resume', '--all', '--json'])).toMatchObject({
    code: 0,
    json: { resumed: [], errors: [] },
  })
  expect((await tree.run(['events'])).stdout).toMatch(
    /short +− branch main\.short and worktree removed/,
  )
  expect((await tree.command(['down'])).stdout).toContain('No agent was running')
})

it('a removal that a crash cut off is finished by the next start, and nobody waits for it', async () => {
  // A `nice` that does nothing for as long as its file is there.
  const shims = mkdtempSync(join(tmpdir(), 'nice-'))
  onTestFinished(() => rmSync(shims, { recursive: true }))
  const hold = join(shims, 'hold')
  const begun = join(shims, 'begun')
  writeFileSync(hold, '')
  writeFileSync(
    join(shims, 'nice'),
    `#!/bin/sh\necho $$ > '${begun}.new'\nmv '${begun}.new' '${begun}'\nwhile [ -e '${hold}' ]; do sleep 0.05; done\nexec /usr/bin/nice "$@"\n`,
    { mode: 0o755 },
  )
  const tree = await startExomonad({
    env: { PATH: `${shims}:${process.env['PATH'] ?? ''}` },
    // Its looks yield by the same program.
    config: '[radar]\nenabled = false\n',
  })
  onTestFinished(() => tree.stop())
  tree.script('gone', { steps: [{ do: 'exit', code: 3 }] })
  await tree.call('spawn_workers', { specs: [{ name: 'gone', prompt: 'x' }] })
  await waitFor('its failure', async () => (await tree.agent('gone')).state === 'failed')
  expect((await tree.call('clean')).removed).toHaveLength(1)
  await waitFor('the deletion to begin', () => existsSync(begun))
  const trash = () => readdirSync(join(tree.state, 'trash'))
  // Its files, and what git kept of it.
  expect(trash()).toHaveLength(2)
  await tree.crash()
  expect(trash()).toHaveLength(2)
  process.kill(Number(readFileSync(begun, 'utf8')))
  rmSync(hold)
  expect((await tree.command(['daemon', 'start'])).code).toBe(0)
  await waitFor('the rest to be deleted', () => trash().length === 0)
  expect(await tree.repository.git('worktree', 'list', '--porcelain')).not.toContain('gone')
})

/**
 * Of these names: a worker whose work is merged, one that reported success, one that has not begun.
 */
async function three(
  tree: Exomonad,
  [merged, reported, begun]: readonly [string, string, string],
): Promise<void> {
  const work = (name: string) => [
    { do: 'write', path: `${name}.txt`, content: 'x' },
    { do: 'commit', message: 'Work' },
    { do: 'tool', name: 'file_pr', input: { title: 'Work', body: '' } },
  ]
  tree.script(merged, { steps: work(merged) })
  tree.script(reported, {
    steps: [{ do: 'complete', success: true, summary: 'Nothing was to be done' }],
  })
  await tree.call('spawn_workers', {
    specs: [merged, reported, begun].map((name) => ({ name, prompt: 'x' })),
  })
  const { answer } = await tree.logged(
    merged,
    'its pull request',
    (entry) => entry['name'] === 'file_pr',
  )
  await tree.call('merge_pr', { pr_number: answer.pr_number })
  await waitFor('the report', async () => (await tree.agent(reported)).outcome?.success)
  for (const name of [merged, reported, begun])
    await waitFor(`${name} to idle`, async () => (await tree.agent(name)).state === 'idle')
}
const names = (places: { agent: string }[]): string[] => places.map(({ agent }) => agent).toSorted()
const reasonFor = (
  { kept }: { kept: { agent: string; reason: string }[] },
  name: string,
): string | undefined => kept.find(({ agent }) => agent === name)?.reason

describe('what is done', () => {
  let tree: Exomonad
  beforeAll(async () => {
    tree = await startExomonad()
  })
  afterAll(() => tree?.stop())
  const trash = () => readdirSync(join(tree.state, 'trash'))
  const places = () => readdirSync(join(tree.repository.path, '.exomonad', 'worktrees')).toSorted()

  it('is cleaned with --kill while its program runs, without a word to its parent; what is not done goes on', async () => {
    await three(tree, ['merged', 'reported', 'begun'])
    const { pid } = await tree.agent('merged')
    const before = (await tree.command(['inbox', '--json'])).json.messages.length
    const plain = await tree.call('clean')
    expect(plain.removed).toEqual([])
    expect(reasonFor(plain, 'merged')).toBe(
      'its program may still run (idle); kill it first, or clean with --kill',
    )
    expect(reasonFor(plain, 'begun')).toBe('its program may still run (idle); kill it first')

    const said = (await tree.command(['clean', '-n', '--kill', '--json'])).json
    expect(await tree.agent('merged')).toMatchObject({ pid, state: 'idle' })
    const done = (await tree.command(['clean', '--kill', '--json'])).json
    expect(done).toEqual(said)
    expect(names(done.removed)).toEqual(['merged', 'reported'])
    expect(reasonFor(done, 'begun')).toBe('its program may still run (idle); kill it first')
    await waitFor('its program to end', () => !isAlive(pid))
    expect(places()).toEqual(['begun'])
    expect(await tree.repository.git('branch', '--list', 'main.*')).not.toMatch(/merged|reported/)
    expect((await tree.command(['inbox', '--json'])).json.messages).toHaveLength(before)
    expect((await tree.tree()).counts).toMatchObject({ agents: 1, live: 1 })
    await waitFor('the trash to be empty', () => trash().length === 0)
  })

  it('and is named, or asked for by --done, is killed and cleaned; nobody else is', async () => {
    await three(tree, ['one', 'two', 'three'])
    await tree.call('spawn_workers', {
      specs: ['four', 'five'].map((name) => ({ name, prompt: 'x' })),
    })
    expect((await tree.command(['kill'])).code).toBe(2)
    const all = await tree.command(['kill', 'four', 'nobody'])
    expect(all.code).toBe(1)
    expect((await tree.agent('four')).state).not.toBe('killed')
    expect((await tree.command(['kill', 'four', 'five'])).stdout).toBe(
      '✓ Killed four, five; branches, worktrees and pull requests stay\n',
    )
    expect((await tree.command(['kill', '--done'])).stdout).toBe(
      '✓ Killed 2 agents; branches, worktrees and pull requests stay (`exomonad clean`)\n',
    )
    for (const name of ['one', 'two', 'four', 'five'])
      expect((await tree.agent(name)).state).toBe('killed')
    expect((await tree.agent('three')).state).toBe('idle')
    expect((await tree.command(['kill', '--done'])).stdout).toBe('No agent is done\n')
    const named = (await tree.command(['clean', 'one', 'three', '--json'])).json
    expect(names(named.removed)).toEqual(['one'])
    expect(names(named.kept)).toEqual(['three'])
    expect(names((await tree.command(['clean', '--done', '--json'])).json.removed)).toEqual([
      'five',
      'four',
      'two',
    ])
    await tree.call('kill_agents', { agents: ['three'] })
    expect(names((await tree.command(['clean', 'three', '--json'])).json.removed)).toEqual([
      'three',
    ])
  })

  it('is cleaned after down; what was only stopped is kept for resume', async () => {
    await three(tree, ['folded', 'reported', 'fresh'])
    expect((await tree.command(['down'])).code).toBe(0)
    // As a crash in the middle of a removal leaves it.
    mkdirSync(join(tree.state, 'trash', 'left', 'over'), { recursive: true })
    const cleaned = (await tree.command(['clean', '--json'])).json
    expect(names(cleaned.removed)).toEqual(['folded', 'reported'])
    for (const name of ['begun', 'fresh'])
      expect(reasonFor(cleaned, name)).toBe(
        'it was stopped, and nothing of it was merged: resume it, or kill it first',
      )
    expect(names((await tree.call('clean', { kill: true })).kept)).toEqual(['begun', 'fresh'])
    expect(
      names(
        (await tree.command(['resume', '--all', '--json'])).json.resumed.map(
          ({ name }: { name: string }) => ({ agent: name }),
        ),
      ),
    ).toEqual(['begun', 'fresh'])
    await waitFor('the trash to be empty', () => trash().length === 0)
  })

  it('what a program does until it is ended counts: nothing of it is lost', async () => {
    const ready = join(tree.scripts, 'trapped')
    const wrote = join(tree.scripts, 'wrote')
    const go = join(tree.scripts, 'go')
    const trap = `(trap 'echo late > late.txt; touch ${wrote}; exit 0' HUP TERM INT; touch ${ready}; while :; do sleep 0.05; done) > /dev/null 2>&1 &`
    tree.script('late', {
      steps: [
        { do: 'write', path: 'late-work.txt', content: 'x' },
        { do: 'commit', message: 'Work' },
        { do: 'tool', name: 'file_pr', input: { title: 'Work', body: '' } },
        { do: 'sh', command: `while [ ! -e ${go} ]; do sleep 0.05; done` },
        { do: 'sh', command: trap },
      ],
    })
    await tree.call('spawn_workers', { specs: [{ name: 'late', prompt: 'x' }] })
    const { answer } = await tree.logged(
      'late',
      'its pull request',
      (entry) => entry['name'] === 'file_pr',
    )
    await tree.call('merge_pr', { pr_number: answer.pr_number })
    // It is merged, and in the middle of something: that is not done.
    expect(reasonFor(await tree.call('clean', { kill: true }), 'late')).toBe(
      'its program may still run (running); kill it first',
    )
    expect((await tree.command(['kill', '--done'])).stdout).toBe('No agent is done\n')
    writeFileSync(go, '')
    await waitFor('it to have gone on', () => existsSync(ready))
    await waitFor('it to idle', async () => (await tree.agent('late')).state === 'idle')
    const cleaned = await tree.call('clean', { kill: true })
    const late = join(tree.repository.path, '.exomonad', 'worktrees', 'late', 'late.txt')
    // On a machine that is too busy to let it speak it was ended before, and left nothing.
    if (!existsSync(wrote) && !existsSync(late)) return
    expect(reasonFor(cleaned, 'late')).toBe('1 uncommitted file: late.txt')
    expect(readFileSync(late, 'utf8')).toBe('late\n')
    expect(await tree.agent('late')).toMatchObject({
      state: 'killed',
      state_reason: 'cleaned away, its work is merged',
    })
  })
})

it('what a fork does until it is ended counts as well, where whose worktree it works in has ended', async () => {
  const tree = await startExomonad()
  onTestFinished(() => tree.stop())
  const [ready, wrote, go] = ['ready', 'wrote', 'go'].map((name) => join(tree.scripts, name))
  tree.script('lead', {
    steps: [
      { do: 'tool', name: 'fork', input: { name: 'twin', prompt: 'x', context: 'fresh' } },
      { do: 'sh', command: `while [ ! -e ${go} ]; do sleep 0.05; done` },
      { do: 'exit', code: 3 },
    ],
  })
  const trap = `(trap 'echo late > late.txt; touch ${wrote}; exit 0' HUP TERM INT; touch ${ready}; while :; do sleep 0.05; done) > /dev/null 2>&1 &`
  tree.script('twin', {
    steps: [
      { do: 'sh', command: trap },
      { do: 'complete', success: true, summary: 'Nothing was to be done' },
    ],
  })
  await tree.call('spawn_subtree', { task: 'Lead', branch_name: 'lead' })
  await waitFor('the fork', () => existsSync(ready ?? ''))
  await waitFor('its report', async () => (await tree.agent('twin')).outcome?.success)
  await waitFor('it to idle', async () => (await tree.agent('twin')).state === 'idle')
  writeFileSync(go ?? '', '')
  await waitFor('the failure', async () => (await tree.agent('lead')).state === 'failed')
  const cleaned = await tree.call('clean', { kill: true })
  const late = join(tree.repository.path, '.exomonad', 'worktrees', 'lead', 'late.txt')
  // On a machine that is too busy to let it speak it was ended before, and left nothing.
  if (!existsSync(wrote ?? '') && !existsSync(late)) return
  expect(reasonFor(cleaned, 'lead')).toBe('1 uncommitted file: late.txt')
  expect(readFileSync(late, 'utf8')).toBe('late\n')
})

it('what was not saved is kept where the worktrees lie behind a symlink', async () => {
  const tree = await startExomonad()
  onTestFinished(() => tree.stop())
  const folder = join(tree.repository.path, '.exomonad', 'worktrees')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(tree.repository.folder, 'elsewhere'))
  symlinkSync(join(tree.repository.folder, 'elsewhere'), folder)
  tree.script('short', { steps: [{ do: 'exit', code: 3 }] })
  await tree.call('spawn_workers', { specs: [{ name: 'short', prompt: 'x' }] })
  await waitFor('its failure', async () => (await tree.agent('short')).state === 'failed')
  const file = join(folder, 'short', 'unsaved.txt')
  writeFileSync(file, 'x')
  expect(reasonFor(await tree.call('clean'), 'short')).toBe('1 uncommitted file: unsaved.txt')
  rmSync(file)
  expect(names((await tree.call('clean')).removed)).toEqual(['short'])
  expect(existsSync(join(folder, 'short'))).toBe(false)
})

it('a configuration that git clean took goes on being used, and init writes it back', async () => {
  const tree = await startExomonad()
  onTestFinished(() => tree.stop())
  const file = join(tree.repository.path, '.exomonad', 'config.toml')
  const before = readFileSync(file, 'utf8')
  tree.script('default', {})
  await tree.repository.git('clean', '-fdxq')
  expect(existsSync(file)).toBe(false)
  expect(
    (await tree.call('spawn_workers', { specs: [{ name: 'w', prompt: 'x' }] })).spawned,
  ).toHaveLength(1)
  expect((await tree.command(['doctor'])).stdout).toMatch(/configuration +.*not there.*goes on/)
  await tree.command(['daemon', 'stop'])
  await tree.command(['daemon', 'start'])
  expect(
    (await tree.call('spawn_workers', { specs: [{ name: 'v', prompt: 'x' }] })).spawned,
  ).toHaveLength(1)
  expect(await tree.command(['init'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('its configuration was gone, and is back'),
  })
  expect(readFileSync(file, 'utf8')).toBe(before)
  expect((await tree.command(['init'])).stdout).toContain('nothing was changed')
})

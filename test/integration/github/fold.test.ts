import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startGithubTree, type GithubTree } from '../../helpers/github/github-tree.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/**
 * The fold where GitHub has the pull requests: it says what they come to, and lands that by a push
 * where nothing protects the base; else GitHub merges.
 */

const LIMIT = 90_000

describe('the fold on GitHub', () => {
  const folder = mkdtempSync(join(tmpdir(), 't-fold-'))
  const [runs, hold] = [join(folder, 'runs'), join(folder, 'hold')]
  /**
   * Red with both halves of the pair. It takes its time: for as long as a check takes, what was asked
   * for waits for the others that were found green with it, and on a busy machine two calls that were
   * made at once are a while apart.
   */
  const CHECK = `git rev-parse HEAD^{tree} >> ${runs}; sleep 2; while test -e ${hold}; do sleep 0.05; done; if test -e left && test -e right; then echo both halves; exit 1; fi`
  let world: GithubTree
  beforeAll(async () => {
    writeFileSync(runs, '')
    world = await startGithubTree({
      files: { 'README.md': 'x\n' },
      config: `[fold]\nenabled = true\ncheck = ${JSON.stringify(['sh', '-c', CHECK])}\n`,
    })
  })
  afterAll(async () => {
    rmSync(hold, { force: true })
    await world?.stop()
    rmSync(folder, { recursive: true })
  })

  const file = async (name: string, path: string): Promise<number> => {
    world.tree.script(name, {
      steps: [
        { do: 'write', path, content: `${name}\n` },
        { do: 'commit', message: `Add ${path}` },
        { do: 'tool', name: 'file_pr', input: { title: `Add ${path}`, body: 'As asked.' } },
      ],
    })
    await world.tree.call('spawn_workers', { specs: [{ name, prompt: 'x' }] })
    const pull = await waitFor(
      `the pull request of ${name}`,
      async () => (await world.tree.agent(name))?.pr?.number,
      { limit: LIMIT },
    )
    return pull as number
  }
  const fold = () => world.tree.call('fold')
  const untilFolded = (what: string, holds: (base: any) => boolean): Promise<any> =>
    waitFor(
      what,
      async () => {
        const base = (await fold()).bases.find((one: any) => one.base === 'main')
        return base !== undefined && holds(base) ? base : undefined
      },
      { limit: LIMIT },
    )
  const events = async (type: string): Promise<any[]> =>
    (await world.tree.events()).filter((event: any) => event.type === type)
  const mergedOf = async (number: number): Promise<any[]> =>
    (await events('pr.merged')).filter(({ payload }) => payload.number === number)
  const mergesAsked = () =>
    world.github.calls.filter(({ method, path }) => method === 'PUT' && path.endsWith('/merge'))
  const treesRun = () => readFileSync(runs, 'utf8').split('\n')
  const inGithub = (...args: string[]) =>
    world.tree.repository.git('--git-dir', world.github.bare, ...args)
  /** Somebody else’s commit, past exomonad. */
  const push = async (name: string): Promise<string> => {
    const { gitIn } = world.tree.repository
    const clone = join(folder, name)
    await gitIn(folder, 'clone', '-q', '-b', 'main', world.github.bare, clone)
    writeFileSync(join(clone, `${name}.txt`), name)
    await gitIn(clone, 'add', '-A')
    await gitIn(clone, 'commit', '-q', '-m', `By hand ${name}`)
    await gitIn(clone, 'push', '-q', 'origin', 'HEAD:main')
    const sha = await gitIn(clone, 'rev-parse', 'HEAD')
    await world.github.push('main', sha)
    return sha
  }
  const merge = (number: number) => world.tree.call('merge_pr', { pr_number: number, wait: true })
  /** Its check has begun, and is held. */
  const mergeHeld = async (number: number): Promise<{ merging: Promise<any> }> => {
    const count = treesRun().length
    writeFileSync(hold, '')
    const merging = merge(number)
    merging.catch(() => {})
    await waitFor('the check', () => treesRun().length > count, { limit: LIMIT })
    return { merging }
  }

  it('finds who is red together before anybody merges, tells them, and moves nothing', async () => {
    const before = await world.tip('main')
    const other = await file('other', 'other.txt')
    const left = await file('left', 'left')
    await untilFolded(
      'two that are green together',
      ({ state, links }) => state === 'green' && links.length === 2,
    )
    const right = await file('right', 'right')
    const base = await untilFolded('the pair', ({ ejected }) => ejected.length === 1)
    expect(base).toMatchObject({
      lands_here: true,
      ejected: [{ number: right, partner: { number: left } }],
    })
    const red = await events('fold.red')
    expect(red.map(({ payload }) => payload.number).toSorted()).toEqual([left, right])
    expect(red[0].payload.log).toContain('both halves')
    const green = await untilFolded('the rest', ({ state }) => state === 'green')
    expect(green.links.map(({ number }: any) => number)).toEqual([other, left])
    expect(await world.tip('main')).toBe(before)
    for (const number of [other, left, right]) {
      expect(world.github.pull(number)).toMatchObject({ state: 'open' })
      // What was found here is no check there.
      expect((await world.tree.command(['pr', 'checks', String(number)])).stdout).not.toContain(
        'fold',
      )
    }
    const shown = (await world.tree.command(['fold'])).stdout
    expect(shown).toContain('lands as the commit that was checked here')
    expect(shown).toContain('is out for')
  })

  it('lands them by one push of that very commit, which GitHub takes for their merge', async () => {
    const { links } = await untilFolded('the rest', ({ state }) => state === 'green')
    const before = await world.tip('main')
    const [first, last] = links
    // GitHub sees what was pushed a while later.
    world.github.state.repository.marksLate = true
    const answers = await Promise.all(links.map(({ number }: any) => merge(number)))
    expect(answers).toMatchObject(links.map(({ sha }: any) => ({ merged: true, sha })))
    for (const { number } of links)
      await waitFor('the merge', async () => (await mergedOf(number)).length > 0, { limit: LIMIT })
    expect(await world.tip('main')).toBe(last.sha)
    expect(await inGithub('log', '--first-parent', '--format=%s', `${before}..main`)).toBe(
      [last, first]
        .map(({ number, agent }) => `Merge pull request #${number} from octo/main.${agent}`)
        .join('\n'),
    )
    expect(treesRun()).toContain(await inGithub('rev-parse', 'main^{tree}'))
    for (const { number, sha } of links) {
      expect(world.github.pull(number)).toMatchObject({ state: 'open' })
      expect((await mergedOf(number))[0].payload).toMatchObject({ external: false, sha })
    }
    world.github.state.repository.marksLate = false
    await push('more')
    for (const { number } of links) {
      expect(world.github.pull(number)).toMatchObject({ merged: true })
      await world.tree.run(['poll'])
      expect(await mergedOf(number)).toHaveLength(1)
    }
    expect(mergesAsked()).toEqual([])
    expect(await world.tree.repository.git('rev-list', 'main')).toContain(last.sha)
  })

  it('makes it anew on what somebody pushes in the middle, and checks that', async () => {
    const late = await file('late', 'late.txt')
    const { merging } = await mergeHeld(late)
    const theirs = await push('person')
    rmSync(hold)
    expect(await merging).toMatchObject({ merged: true })
    expect(await inGithub('rev-parse', 'main^1')).toBe(theirs)
    expect(treesRun()).toContain(await inGithub('rev-parse', 'main^{tree}'))
    expect(world.github.pull(late)).toMatchObject({ merged: true })
  })

  it('pushes past no protection: what waits is given up, and GitHub merges by its own rules', async () => {
    const guarded = await file('guarded', 'guarded.txt')
    const before = await world.tip('main')
    const { merging } = await mergeHeld(guarded)
    // One that would let the account pass.
    world.github.addRuleset({ rules: [{ type: 'required_linear_history' }] }).bypass.push('robot')
    rmSync(hold)
    await expect(merging).rejects.toThrow('rules protect main by now')
    expect(await world.tip('main')).toBe(before)
    expect(world.github.pull(guarded)).toMatchObject({ state: 'open' })
    expect(await merge(guarded)).toMatchObject({ merged: true })
    expect(mergesAsked()).toHaveLength(1)
    expect(await inGithub('log', '-1', '--format=%s', 'main')).toBe(`Add guarded.txt (#${guarded})`)
    const shown = (await world.tree.command(['fold'])).stdout
    expect(shown).toContain('The forge merges by its own rules')
  })
})

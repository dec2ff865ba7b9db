import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { crashAt, crashOnTheWay, openJournal } from '../../helpers/crash-at.ts'
import { useCrashingTree } from '../../helpers/crashing-tree.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'

/** Nine starts of a daemon, on a machine that may be busy. Milliseconds. */
const LIMIT = 300_000

describe('kill -9 of the daemon while it folds, and lands what was found green', () => {
  const folder = mkdtempSync(join(tmpdir(), 't-runs-'))
  const runs = join(folder, 'runs')
  const world = useCrashingTree(() => {
    const check = `code=0; if test -e left.txt && test -e right.txt; then echo 'left and right'; code=1; fi; echo "$(git rev-parse 'HEAD^{tree}') $code" >> ${runs}; exit $code`
    return {
      config: `[forge.local]\nci = ["sh", "-c", ${JSON.stringify(check)}]\n[fold]\nenabled = true\nland = "auto"\n`,
    }
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  /** What main was at first on the remote. */
  let first = ''
  const origin = () => join(world.tree.state, 'origin.git')
  const inOrigin = (...args: string[]) => world.tree.repository.gitIn(origin(), ...args)
  const approved = async (...names: string[]): Promise<number[]> => {
    const numbers = await world.filed(...names)
    for (const number of numbers)
      await world.tree.call('pr_review', { pr_number: number, verdict: 'approve' })
    return numbers
  }
  /** Pull requests that are filed and green apart while nothing is folded, then approved. */
  const waiting = async (...names: string[]): Promise<number[]> => {
    await world.tree.command(['fold', 'pause'])
    return approved(...names)
  }
  const states = async (numbers: readonly number[]): Promise<string[]> => {
    const { pull_requests: pulls } = await world.tree.call('pr_list', { state: 'all' })
    return numbers.map((one) => pulls.find((pull: any) => pull.number === one).state)
  }
  const settled = async (numbers: readonly number[], wanted: readonly string[]): Promise<void> => {
    await waitFor(
      'them to have landed',
      async () => (await states(numbers)).join() === wanted.join(),
      { limit: 60_000 },
    )
    await waitFor('the journal to be closed', () => openJournal(world.tree) === 0)
  }
  /** Somebody else’s commit, past the daemon. */
  const push = async (name: string): Promise<string> => {
    const other = join(folder, 'other')
    const { gitIn } = world.tree.repository
    await gitIn(folder, 'clone', '-q', '-b', 'main', origin(), other)
    writeFileSync(join(other, `${name}.txt`), name)
    await gitIn(other, 'add', '-A')
    await gitIn(other, 'commit', '-q', '-m', `By hand ${name}`)
    await gitIn(other, 'push', '-q', 'origin', 'HEAD:main')
    return gitIn(other, 'rev-parse', 'HEAD')
  }
  const expectTipsGreen = async (but: readonly string[]): Promise<void> => {
    const green = new Set(
      readFileSync(runs, 'utf8')
        .split('\n')
        .flatMap((line) => (line.endsWith(' 0') ? [line.slice(0, -2)] : [])),
    )
    const tips = (await inOrigin('reflog', 'show', '--format=%H', 'refs/heads/main')).split('\n')
    for (const tip of tips.filter((one) => one !== first && !but.includes(one)))
      expect(green).toContain(await inOrigin('rev-parse', `${tip}^{tree}`))
  }
  const told = async (number: number, tag: string): Promise<number> =>
    (await world.tree.events()).filter(
      ({ type, payload }) => type === tag && payload.number === number,
    ).length

  it(
    `${verifies('R004-10', 'at one step after the other: all land once, on what somebody pushed meanwhile, as they were checked')}`,
    async () => {
      const names = ['a', 'b', 'c']
      const numbers = await waiting(...names)
      await inOrigin('config', 'core.logAllRefUpdates', 'always')
      first = await inOrigin('rev-parse', 'main')
      const { dead } = await crashAt(world.tree, 'fold', 'testing')
      await world.tree.command(['fold', 'resume'])
      await dead
      for (const [kind, step] of [
        ['fold', 'green'],
        ['merge', 'queued'],
        ['merge', 'retarget'],
        ['merge', 'merge'],
      ] as const)
        await crashOnTheWay(world.tree, kind, step)
      expect(await inOrigin('log', '--format=%s', 'main')).not.toContain('Add ')
      const byHand = await push('person')
      // The one that waits is checked, or the fold finds all of them green before: then they land.
      await crashOnTheWay(world.tree, 'merge', 'checking', 'retarget')
      for (const step of ['record', 'sync']) await crashOnTheWay(world.tree, 'merge', step)
      await world.tree.command(['daemon', 'start'])
      await settled(
        numbers,
        names.map(() => 'merged'),
      )
      for (const [at, name] of names.entries()) {
        expect(await world.added(name)).toBe(1)
        expect(existsSync(join(world.tree.repository.path, `${name}.txt`))).toBe(true)
        await waitFor(
          'the merge to be reported',
          async () => (await world.merges(numbers[at]!)) === 1,
        )
      }
      expect(await inOrigin('log', '--format=%H', 'main')).toContain(byHand)
      await expectTipsGreen([byHand])
      for (const name of names) await world.tree.call('kill', { agent: name })
    },
    LIMIT,
  )

  it('while it looks for a pair, and once it is named: it is named once, and all others land', async () => {
    const [left = 0, other = 0, right = 0] = await waiting('left', 'other', 'right')
    const { dead } = await crashAt(world.tree, 'fold', 'searching')
    await world.tree.command(['fold', 'resume'])
    await dead
    await crashOnTheWay(world.tree, 'fold', 'ejected')
    await world.tree.command(['daemon', 'start'])
    // Whoever of the two filed later is the one that is out.
    const [stays, out] = left < right ? [left, right] : [right, left]
    await settled([stays, other, out], ['merged', 'merged', 'open'])
    expect(await told(stays, 'fold.red')).toBe(1)
    expect(await told(out, 'fold.red')).toBe(1)
    expect(await world.added('other')).toBe(1)
    const added = [await world.added('left'), await world.added('right')]
    expect(added).toEqual(stays === left ? [1, 0] : [0, 1])
  })
})

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, describe, expect, it } from 'vitest'
import { crashAt, openJournal, startAgain } from '../../helpers/crash-at.ts'
import { useCrashingTree } from '../../helpers/crashing-tree.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'

describe('kill -9 of the daemon in the middle of a landing', () => {
  const runs = mkdtempSync(join(tmpdir(), 't-runs-'))
  const count = (): number =>
    existsSync(join(runs, 'runs'))
      ? readFileSync(join(runs, 'runs'), 'utf8').split('\n').length - 1
      : 0
  const world = useCrashingTree(() => {
    // The result of a pair of pull requests is checked for as long as that is held, so that the
    // daemon ends in the middle of a run.
    const check = `echo run >> ${runs}/runs; pair=$(cat ${runs}/pair); if test -e "one-$pair.txt" && test -e "two-$pair.txt"; then test $pair != red && while test -e ${runs}/hold; do sleep 0.05; done; fi`
    writeFileSync(join(runs, 'pair'), 'none')
    return { config: `[forge.local]\nci = ["sh", "-c", ${JSON.stringify(check)}]\n` }
  })
  afterAll(() => rmSync(runs, { recursive: true }))

  it.each(['queued', 'built', 'checking', 'the run', 'checked', 'merge', 'record', 'sync'])(
    `${verifies('R004-10', 'at “%s” it lands once, by itself, after the next start')}`,
    async (step) => {
      const pair = step.replace(' ', '-')
      writeFileSync(join(runs, 'pair'), pair)
      const [one, two] = [`one-${pair}`, `two-${pair}`]
      const before = count()
      const [first = 0, second = 0] = await world.filed(one, two)
      expect(await world.tree.call('merge_pr', { pr_number: first })).toMatchObject({
        merged: true,
      })

      if (step === 'the run') {
        writeFileSync(join(runs, 'hold'), '')
        await world.cut('merge_pr', { pr_number: second })
        await waitFor('the run of the result', () => count() - before === 3)
        await world.tree.crash()
        rmSync(join(runs, 'hold'))
      } else {
        const { dead } = await crashAt(world.tree, 'merge', step)
        await world.cut('merge_pr', { pr_number: second })
        await dead
      }

      await startAgain(world.tree)
      const landed = async () =>
        (await world.tree.call('pr_list', { state: 'merged' })).pull_requests.some(
          (pull: any) => pull.number === second,
        )
      await waitFor('it to have landed', landed, { limit: 60_000 })
      await waitFor('the journal to be closed', () => openJournal(world.tree) === 0)
      for (const name of [one, two])
        expect(existsSync(join(world.tree.repository.path, `${name}.txt`))).toBe(true)
      expect(await world.added(two)).toBe(1)
      await waitFor('the merge to be reported', async () => (await world.merges(second)) === 1)
      const delivered = async () => JSON.stringify(await world.tree.call('inbox'))
      await waitFor('the asker to be notified', async () =>
        new RegExp(`\\[LANDED\\][^\\[]*#${String(second)}\\b`).test(await delivered()),
      )
      // What was found good before the end is not checked again.
      expect(count() - before).toBe(step === 'the run' ? 4 : 3)
      for (const name of [one, two])
        await world.tree.call('kill', { agent: name }).catch(() => undefined)
    },
  )

  it('a base on which something landed unchecked is looked at, also where that was not noted any more', async () => {
    const writes = (sql: string): void => {
      const database = new Database(join(world.tree.state, 'store.db'))
      database.exec(sql)
      database.close()
    }
    writeFileSync(join(runs, 'pair'), 'red')
    const [first = 0, second = 0] = await world.filed('one-red', 'two-red')
    expect(await world.tree.call('merge_pr', { pr_number: first })).toMatchObject({ merged: true })
    // As where the daemon ends just before: the merge is there, and the note is not.
    writes(
      "create trigger unnoted before insert on snapshots when new.key like 'base-state:%' begin select raise(abort, 'it has ended'); end",
    )
    expect(await world.tree.call('merge_pr', { pr_number: second, force: true })).toMatchObject({
      merged: true,
    })
    await waitFor('the merge to be reported', async () => (await world.merges(second)) === 1)
    await world.tree.crash()
    writes('drop trigger unnoted')
    await world.tree.command(['daemon', 'start'])
    await waitFor(
      'the red base to be reported',
      async () => (await world.tree.events()).some(({ type }) => type === 'base.red'),
      { limit: 60_000 },
    )
  })
})

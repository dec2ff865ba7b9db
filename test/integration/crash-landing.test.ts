import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { crashAt, openJournal } from '../helpers/crash-at.ts'
import { startExomonad, type Exomonad, type ExomonadOptions } from '../helpers/daemon.ts'
import { waitFor } from '../helpers/wait-for.ts'
import { verifies } from '../requirements.ts'

/** One tree for all steps of an operation: whatever a crash leaves behind meets those that follow. */
let tree: Exomonad
const withTree = (options?: () => ExomonadOptions): void => {
  beforeAll(async () => {
    tree = await startExomonad(options?.())
  })
  afterAll(() => tree.stop())
}

/** Workers that add a file each and file it; resolves once all are green, with their pull requests' numbers. */
async function filed(...names: string[]): Promise<number[]> {
  for (const name of names) {
    tree.script(name, {
      steps: [
        { do: 'write', path: `${name}.txt`, content: `${name}\n` },
        { do: 'commit', message: `Add ${name}` },
        { do: 'tool', name: 'file_pr', input: { title: `Add ${name}`, body: 'As asked.' } },
      ],
    })
  }
  await tree.call('spawn_workers', { specs: names.map((name) => ({ name, prompt: 'Do it' })) })
  const pulls = async () => (await tree.call('pr_list')).pull_requests.filter((pull: any) => names.includes(pull.agent) && pull.checks !== 'pending')
  const green = await waitFor('all to be green', async () => (await pulls()).length === names.length && (await pulls()), { limit: 60_000 })
  return names.map((name) => green.find((pull: any) => pull.agent === name).number)
}
/** A call by the command line, which the daemon's end cuts off. */
const cut = (tool: string, input: unknown) => tree.run(['call', tool, '-'], { input: JSON.stringify(input) })
const added = async (name: string): Promise<number> =>
  (await tree.repository.git('log', '--format=%s', 'main')).split('\n').filter((line) => line.startsWith(`Add ${name}`)).length
const merges = async (number: number): Promise<number> =>
  (await tree.events()).filter((event) => event.type === 'pr.merged' && event.payload.number === number).length

describe('kill -9 of the daemon in the middle of a landing', () => {
  const runs = mkdtempSync(join(tmpdir(), 't-runs-'))
  const count = (): number => (existsSync(join(runs, 'runs')) ? readFileSync(join(runs, 'runs'), 'utf8').split('\n').length - 1 : 0)
  withTree(() => {
    // The result of a pair of pull requests takes its time, so that “checking” is in the middle of a run.
    const check = `echo run >> ${runs}/runs; pair=$(cat ${runs}/pair); if test -e "one-$pair.txt" && test -e "two-$pair.txt"; then sleep 0.5; fi`
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
      const [first = 0, second = 0] = await filed(one, two)
      expect(await tree.call('merge_pr', { pr_number: first })).toMatchObject({ merged: true })

      if (step === 'the run') {
        await cut('merge_pr', { pr_number: second })
        await waitFor('the run of the result', () => count() - before === 3)
        await tree.crash()
      } else {
        const { dead } = await crashAt(tree, 'merge', step)
        await cut('merge_pr', { pr_number: second })
        await dead
      }

      await tree.run(['daemon', 'start'])
      const landed = async () => (await tree.call('pr_list', { state: 'merged' })).pull_requests.some((pull: any) => pull.number === second)
      await waitFor('it to have landed', landed, { limit: 60_000 })
      await waitFor('the journal to be closed', () => openJournal(tree) === 0)
      for (const name of [one, two]) expect(existsSync(join(tree.repository.path, `${name}.txt`))).toBe(true)
      expect(await added(two)).toBe(1)
      await waitFor('the merge to be told', async () => (await merges(second)) === 1)
      const told = async () => JSON.stringify(await tree.call('inbox'))
      await waitFor('the asker to be told', async () => new RegExp(`\\[LANDED\\][^\\[]*#${String(second)}\\b`).test(await told()))
      // What was found good before the end is not checked again.
      expect(count() - before).toBe(step === 'the run' ? 4 : 3)
      for (const name of [one, two]) await tree.call('kill', { agent: name }).catch(() => undefined)
    },
  )
})

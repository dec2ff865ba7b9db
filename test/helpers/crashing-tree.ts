import { afterAll, beforeAll } from 'vitest'
import { startExomonad, type Exomonad, type ExomonadOptions } from './daemon.ts'
import { waitFor } from './wait-for.ts'

/** Test helper: what the tests of a crash in the middle of an operation have in common. */
export interface CrashingTree {
  readonly tree: Exomonad
  /**
   * Workers that add a file each and file it; resolves once no check runs any more, with their pull
   * requests’ numbers.
   */
  filed(...names: string[]): Promise<number[]>
  /**
   * A call that the daemon’s end cuts off, and that nobody makes again; true where it was answered
   * all the same.
   */
  cut(tool: string, input: unknown): Promise<boolean>
  /** How many commits of main add the file of this worker. */
  added(name: string): Promise<number>
  /** How often the merge of this pull request was reported. */
  merges(number: number): Promise<number>
}

/**
 * For the tests of a `describe`: one tree for all steps of an operation, so that whatever a crash
 * leaves behind meets those that follow.
 */
export function useCrashingTree(options?: () => ExomonadOptions): CrashingTree {
  let tree: Exomonad
  beforeAll(async () => {
    tree = await startExomonad(options?.())
  })
  afterAll(() => tree.stop())
  return {
    get tree() {
      return tree
    },
    async filed(...names) {
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
      const pulls = async () =>
        (await tree.call('pr_list')).pull_requests.filter(
          (pull: any) => names.includes(pull.agent) && pull.checks !== 'pending',
        )
      const filed = await waitFor(
        'all to be filed',
        async () => (await pulls()).length === names.length && (await pulls()),
        { limit: 60_000 },
      )
      return names.map((name) => filed.find((pull: any) => pull.agent === name).number)
    },
    cut: (tool, input) =>
      tree
        .client()
        .callTool(tool, input)
        .then(
          () => true,
          () => false,
        ),
    added: async (name) =>
      (await tree.repository.git('log', '--format=%s', 'main'))
        .split('\n')
        .filter((line) => line.startsWith(`Add ${name}`)).length,
    merges: async (number) =>
      (await tree.events()).filter(
        (event) => event.type === 'pr.merged' && event.payload.number === number,
      ).length,
  }
}

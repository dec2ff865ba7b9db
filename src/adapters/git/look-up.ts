import { type ChildProcessWithoutNullStreams, start } from '../../processes/exec.ts'
import { createInterface } from 'node:readline'
import { parseSha, type Sha } from '../../domain/ids.ts'
import { asArguments, gitVariables, NO_DIALOGS, SETTINGS } from './settings.ts'

/**
 * Commits that revisions name, by one git that is kept: a daemon asks so often that starting one
 * each time is most of its work. Refs and objects are read anew for each question.
 */
export interface LookUp {
  /**
   * Null where there is none; undefined where this can’t determine it, and git has to be asked
   * otherwise.
   */
  commit(revision: string): Promise<Sha | null | undefined>
  close(): void
}

/** So often in a row it may end without having answered anything; then it is not started again. */
const MOST_FAILURES = 3

export function createLookUp({
  commonDir,
  environment,
}: {
  commonDir: string
  environment: Readonly<Record<string, string>>
}): LookUp {
  const env = { ...gitVariables(environment), ...NO_DIALOGS, GIT_OPTIONAL_LOCKS: '0' }
  const args = [
    '--no-pager',
    `--git-dir=${commonDir}`,
    ...asArguments(SETTINGS),
    'cat-file',
    '--batch-check=%(objecttype) %(objectname)',
  ]
  let child: ChildProcessWithoutNullStreams | undefined
  let waiting: ((answer: Sha | null | undefined) => void)[] = []
  let failures = 0
  let closed = false

  const ended = (which: ChildProcessWithoutNullStreams): void => {
    if (child !== which) return
    child = undefined
    failures += 1
    const left = waiting
    waiting = []
    for (const answer of left) answer(undefined)
  }

  const running = (): ChildProcessWithoutNullStreams => {
    if (child !== undefined) return child
    const begun = start('git', args, { cwd: commonDir, env })
    child = begun
    begun.on('error', () => ended(begun))
    begun.on('exit', () => ended(begun))
    begun.stdin.on('error', () => ended(begun))
    begun.stderr.resume()
    createInterface({ input: begun.stdout }).on('line', (line) => {
      // What it wrote before it ended may come after that was seen: those who asked have their
      // answer.
      if (child !== begun) return
      const answer = waiting.shift()
      failures = 0
      if (line.startsWith('commit ')) answer?.(parseSha(line.slice('commit '.length)))
      else answer?.(line.endsWith(' missing') ? null : undefined)
    })
    return begun
  }

  return {
    commit: (revision) => {
      if (closed || failures >= MOST_FAILURES || /[\n\0]/.test(revision))
        return Promise.resolve(undefined)
      return new Promise((resolve) => {
        const { stdin } = running()
        waiting.push(resolve)
        stdin.write(`${revision}^{commit}\n`)
      })
    },
    close: () => {
      closed = true
      child?.stdin.end()
    },
  }
}

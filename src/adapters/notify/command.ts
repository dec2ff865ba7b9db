import { argument, run, type RunDeps } from './run.ts'
import { asText, type NotifyTarget } from './target.ts'

const MOST = 4000

/** Runs a program with the text as its last argument, without a shell. */
export function createCommandTarget(
  deps: RunDeps & { readonly command: readonly string[] },
): NotifyTarget {
  const [file = '', ...args] = deps.command
  return {
    send: (notice, signal) => run(deps, file, [...args, argument(asText(notice, MOST))], signal),
  }
}

import { currentFolder } from './current-folder.ts'
import { readEnvironment } from '../config/environment.ts'
import { attentionWords, readAttention } from '../surfaces/cli/agents/short-status.ts'

/**
 * `exomonad status --short`, which runs before each prompt of a shell and goes without what other
 * commands are made of. False where it is something else, or has to be said in ASCII: then the
 * command does it.
 */
export async function printShortStatus(argv: readonly string[]): Promise<boolean> {
  const environment = readEnvironment()
  if (argv.join(' ') !== 'status --short' || !environment.unicode) return false
  const attention = await readAttention(currentFolder(environment), environment)
  if (attention !== null) process.stdout.write(`${attentionWords(attention)}\n`)
  return true
}

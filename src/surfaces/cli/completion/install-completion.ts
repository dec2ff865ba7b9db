import { randomBytes } from 'node:crypto'
import {
  chmod,
  mkdir,
  readFile,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Environment } from '../../../config/environment.ts'
import { ExomonadError } from '../../../domain/errors.ts'
import { completionScript, type Shell } from './completion-scripts.ts'

/** Where the completion of a shell lies, and what makes the shell load it. */
export interface CompletionFiles {
  readonly script: string
  /** The start-up file that gets a few marked lines; null where the shell finds the script itself. */
  readonly startup: string | null
}

export function completionFiles(shell: Shell, { home, variables }: Environment): CompletionFiles {
  const folder = (name: string, ...instead: string[]): string =>
    variables[name] || join(home, ...instead)
  if (shell === 'fish') {
    const completions = join(folder('XDG_CONFIG_HOME', '.config'), 'fish', 'completions')
    return { script: join(completions, 'exomonad.fish'), startup: null }
  }
  const startup =
    shell === 'bash' ? join(home, '.bashrc') : join(variables['ZDOTDIR'] || home, '.zshrc')
  const data = folder('XDG_DATA_HOME', '.local', 'share')
  return { script: join(data, 'exomonad', `completion.${shell}`), startup }
}

/**
 * Makes new shells complete `exomonad`. Returns the files that it changed: none where all is as it
 * should be.
 */
export async function installCompletion(
  shell: Shell,
  environment: Environment,
): Promise<readonly string[]> {
  const { script, startup } = completionFiles(shell, environment)
  const changed: string[] = []
  // First, so that the start-up file never names a script that isn't there.
  if (await replace(script, completionScript(shell))) changed.push(script)
  if (startup !== null) {
    const before = (await read(startup)) ?? ''
    const block = blockOf(shell, script)
    const around = withoutBlock(before, startup)
    // Lines that are right stay where somebody may have moved them.
    if (!before.includes(block) && (await replace(startup, append(around, block))))
      changed.push(startup)
  }
  return changed
}

/** Takes all of it away again. Returns the files that it changed or removed. */
export async function uninstallCompletion(
  shell: Shell,
  environment: Environment,
): Promise<readonly string[]> {
  const { script, startup } = completionFiles(shell, environment)
  const changed: string[] = []
  const before = startup === null ? null : await read(startup)
  if (startup !== null && before !== null) {
    const around = withoutBlock(before, startup)
    if (around !== before) {
      // A file that held nothing else was made for the lines.
      if (around === '') await rm(await realpath(startup))
      else await replace(startup, around)
      changed.push(startup)
    }
  }
  if ((await read(script)) !== null) {
    await rm(script)
    // A folder of the name that holds nothing else any more; fish’s is shared with others.
    if (startup !== null) await rmdir(dirname(script)).catch(() => {})
    changed.push(script)
  }
  return changed
}

const BEGIN = '# >>> exomonad completion >>>'
const END = '# <<< exomonad completion <<<'

function blockOf(shell: Shell, script: string): string {
  const file = `'${script.replaceAll("'", String.raw`'\''`)}'`
  const lines =
    shell === 'zsh'
      ? [
          `if [[ -r ${file} ]]; then`,
          '  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }',
          `  source ${file}`,
          'fi',
        ]
      : [`if [ -r ${file} ]; then . ${file}; fi`]
  return [BEGIN, ...lines, END, ''].join('\n')
}

const append = (text: string, block: string): string =>
  `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${block}`

/** A start-up file without the marked lines. INVALID_ARG where a mark has lost its other half. */
function withoutBlock(text: string, file: string): string {
  const lines = text.split('\n')
  const begin = lines.indexOf(BEGIN)
  const end = lines.indexOf(END)
  if (begin === -1 && end === -1) return text
  if (begin === -1 || end < begin)
    throw new ExomonadError(
      'INVALID_ARG',
      `${file} has one of the lines “${BEGIN}” and “${END}” and not the other. Remove it with what belongs to it, and try again; nothing was changed there.`,
      { file },
    )
  return lines.toSpliced(begin, end - begin + 1).join('\n')
}

async function read(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/**
 * Writes a whole file in one step, with the rights that it had; where it is a link to another place,
 * as people have it who keep such files in a repository, there. False where it says that already.
 */
async function replace(file: string, text: string): Promise<boolean> {
  if ((await read(file)) === text) return false
  await mkdir(dirname(file), { recursive: true })
  const target = await realpath(file).catch(() => file)
  const mode = await stat(target).then(
    (found) => found.mode & 0o777,
    () => 0o644,
  )
  const draft = `${target}.${randomBytes(4).toString('hex')}`
  try {
    await writeFile(draft, text, { flag: 'wx' })
    await chmod(draft, mode)
    await rename(draft, target)
  } finally {
    await rm(draft, { force: true })
  }
  return true
}

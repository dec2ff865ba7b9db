import { Buffer } from 'node:buffer'
import { NO_FOLDER } from '../../domain/formats/remote-exit.ts'

/**
 * The far side’s own shell reads this, whichever that is: nothing in it stands for something else
 * in sh, bash, zsh, fish or csh. It hands on to the person’s login shell, where that can be one, so
 * that programs are found as they are when they log in; what their profile prints is not ours.
 */
const LAUNCHER = [
  'EXOMONAD_LINE=$(printf %b "$0")',
  'export EXOMONAD_LINE',
  'case ${SHELL##*/} in bash|zsh|fish|ksh|mksh) exec "$SHELL" -lc "exec sh -c \\"\\$EXOMONAD_LINE\\" 1>&3 3>&-" 3>&1 1>/dev/null;; esac',
  'exec sh -c "$EXOMONAD_LINE"',
].join('; ')

/**
 * How the program is bound to who asked for it. `tied`: it is ended (SIGTERM) when what is on its
 * standard input ends, of which it reads nothing: without a terminal, no other sign of Ctrl-C or of
 * a cut connection reaches it.
 */
export type Bond = 'own' | 'tied'

/**
 * The command line for `ssh HOST LINE` that runs a program there with exactly these arguments, in a
 * folder: absolute, from the person’s home (`~/app`, `app`), or that itself (null). Ends with
 * NO_FOLDER or NO_PROGRAM where it is not there.
 */
export function remoteLine(
  argv: readonly string[],
  folder: string | null,
  bond: Bond = 'own',
): string {
  const enter = folder === null ? '' : `cd ${quote(placeOf(folder))} || exit ${NO_FOLDER}; `
  const words = argv.map(quote).join(' ')
  const line = `unset EXOMONAD_LINE CDPATH; cd || exit ${NO_FOLDER}; ${enter}${bond === 'own' ? `exec ${words}` : tied(words)}`
  return `exec sh -c '${LAUNCHER}' '${encode(line)}'`
}

/** What runs in the background of a shell has no input but by another number. */
const tied = (words: string): string =>
  [
    'exec 4<&0 </dev/null',
    `${words} 4<&- & program=$!`,
    '{ cat; kill -s TERM "$program"; } <&4 4<&- >/dev/null 2>&1 & watch=$!',
    'exec 4<&-',
    'wait "$program"; code=$?',
    'kill -s TERM "$watch" 2>/dev/null',
    'exit "$code"',
  ].join('; ')

/** As it is given to `cd` in the home folder: it never begins with `-`. */
function placeOf(folder: string): string {
  const below = folder === '~' ? '.' : folder.replace(/^~\/+/, './')
  return /^\.?\//.test(below) ? below : `./${below}`
}

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

/**
 * For `printf %b`: fish reads quotes and backslashes in single quotes in a way of its own, so
 * that none stand there but before digits.
 */
const encode = (text: string): string =>
  [...Buffer.from(text)]
    .map((byte) => {
      const letter = String.fromCharCode(byte)
      return /[\w ./:=@,+-]/.test(letter) ? letter : `\\0${byte.toString(8).padStart(3, '0')}`
    })
    .join('')

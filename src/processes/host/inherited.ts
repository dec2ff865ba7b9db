import { accessSync, closeSync, constants, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { inheritableDescriptors, OWN_DESCRIPTORS } from '../processes.ts'

/**
 * Closes what whoever started this process left open by accident: it would be handed on to every
 * program that is started here, and Node itself opens nothing that is. Where the system does not
 * show it, nothing is closed.
 */
export function closeInherited(): void {
  for (const fd of inheritableDescriptors()) closeSync(fd)
}

const CLOSE_ALL = `for fd in ${OWN_DESCRIPTORS}/*; do fd=\${fd##*/}; if [ "$fd" -gt 2 ]; then eval "exec $fd>&-"; fi; done; exec "$@"`
const WITHOUT_DESCRIPTORS = `
if [ -d ${OWN_DESCRIPTORS} ] && command -v bash >/dev/null 2>&1; then exec bash -c '${CLOSE_ALL}' "$0" "$@"; fi
exec "$@"
`

/**
 * What to start instead of `argv` where descriptors stay open to what this process starts: the pty
 * library leaves those of terminals so. A shell closes all but the first three and becomes the
 * program. dash can't name descriptors above 9, hence bash; a system without it leaves them open.
 */
export const withoutDescriptors = (argv: readonly string[]): string[] => [
  '/bin/sh',
  '-c',
  WITHOUT_DESCRIPTORS,
  'exomonad',
  ...argv,
]

type Start<Started> = (
  file: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
) => Started

/**
 * The same start, by such a shell as long as that is needed. What can’t be found is started as it
 * is: how that fails is reported better by the system.
 */
export const startingWithoutDescriptors =
  <Started>(start: Start<Started>, isNeeded: () => boolean): Start<Started> =>
  (file, args, options) => {
    if (!isNeeded() || !canBeFound(file, options)) return start(file, args, options)
    const [shell = '', ...words] = withoutDescriptors([file, ...args])
    return start(shell, words, options)
  }

/** As `execvp` looks for it. */
function canBeFound(
  file: string,
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): boolean {
  const places = file.includes('/')
    ? [file]
    : (env['PATH'] ?? '/bin:/usr/bin').split(':').map((folder) => join(folder, file))
  return places.some((place) => {
    try {
      const path = resolve(cwd, place)
      accessSync(path, constants.X_OK)
      return statSync(path).isFile()
    } catch {
      return false
    }
  })
}

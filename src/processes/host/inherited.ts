import { accessSync, closeSync, constants, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** O_CLOEXEC in the flags that Linux tells of a descriptor, see proc(5). */
const CLOSE_ON_EXEC = 0o2000000

/**
 * Closes what whoever started this process left open by accident: it would be handed on to every program that is started here, and Node
 * itself opens nothing that is. Where the system does not tell, nothing is closed.
 */
export function closeInherited(): void {
  for (const fd of listDescriptors()) {
    try {
      const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1]
      if (flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0) closeSync(Number(fd))
    } catch {
      // It is closed already, as the one that listed them is.
    }
  }
}

function listDescriptors(): string[] {
  try {
    return readdirSync('/proc/self/fd').filter((fd) => Number(fd) > 2)
  } catch {
    return []
  }
}

const CLOSE_ALL = 'for fd in /proc/self/fd/*; do fd=${fd##*/}; if [ "$fd" -gt 2 ]; then eval "exec $fd>&-"; fi; done; exec "$@"'
const WITHOUT_DESCRIPTORS = `
if [ -d /proc/self/fd ] && command -v bash >/dev/null 2>&1; then exec bash -c '${CLOSE_ALL}' "$0" "$@"; fi
exec "$@"
`

/**
 * What to start instead of `argv` where descriptors stay open to what this process starts: the pty library leaves those of terminals so. A shell closes
 * all but the first three and becomes the program. dash can't name descriptors above 9, hence bash; a system without it leaves them open.
 */
export const withoutDescriptors = (argv: readonly string[]): string[] => ['/bin/sh', '-c', WITHOUT_DESCRIPTORS, 'exomonad', ...argv]

type Start<Started> = (file: string, args: readonly string[], options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> }) => Started

/** The same start, by such a shell as long as that is needed. What can’t be found is started as it is: how that fails is told better by the system. */
export const startingWithoutDescriptors =
  <Started>(start: Start<Started>, isNeeded: () => boolean): Start<Started> =>
  (file, args, options) => {
    if (!isNeeded() || !canBeFound(file, options)) return start(file, args, options)
    const [shell = '', ...words] = withoutDescriptors([file, ...args])
    return start(shell, words, options)
  }

/** As `execvp` looks for it. */
function canBeFound(file: string, { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> }): boolean {
  const places = file.includes('/') ? [file] : (env['PATH'] ?? '/bin:/usr/bin').split(':').map((folder) => join(folder, file))
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

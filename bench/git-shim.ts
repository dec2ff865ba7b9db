import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import process from 'node:process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface GitShim {
  readonly folder: string
  readonly count: () => number
  /** What is counted from here on, in the file of commands. */
  readonly note: (what: string) => void
  readonly remove: () => void
}

/**
 * A git in front of git that counts the processes of the daemon: not those of agents and checks.
 * With `EXOMONAD_BENCH_GIT_COMMANDS=FILE` their arguments are added to that file, a line each.
 */
export function gitShim(): GitShim {
  const folder = mkdtempSync(join(tmpdir(), 'bench-git-'))
  const counted = join(folder, 'count')
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
  writeFileSync(counted, '')
  const commands = process.env['EXOMONAD_BENCH_GIT_COMMANDS']
  const written = commands === undefined ? '' : ` printf '%s\\n' "$*" >> '${commands}';`
  writeFileSync(
    join(folder, 'git'),
    `#!/bin/sh\nif [ -z "$EXOMONAD_AGENT_ID" ] && [ -z "$EXOMONAD_CI_RUN" ]; then printf . >> '${counted}';${written} fi\nexec '${real}' "$@"\n`,
  )
  chmodSync(join(folder, 'git'), 0o755)
  return {
    folder,
    count: () => readFileSync(counted, 'utf8').length,
    note: (what) => {
      if (commands !== undefined) appendFileSync(commands, `# ${what}\n`)
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

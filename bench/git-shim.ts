import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface GitShim {
  readonly folder: string
  readonly count: () => number
  readonly remove: () => void
}

/** A git in front of git that counts the processes of the daemon: not those of agents and checks. */
export function gitShim(): GitShim {
  const folder = mkdtempSync(join(tmpdir(), 'bench-git-'))
  const counted = join(folder, 'count')
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
  writeFileSync(counted, '')
  writeFileSync(
    join(folder, 'git'),
    `#!/bin/sh\nif [ -z "$EXOMONAD_AGENT_ID" ] && [ -z "$EXOMONAD_CI_RUN" ]; then printf . >> '${counted}'; fi\nexec '${real}' "$@"\n`,
  )
  chmodSync(join(folder, 'git'), 0o755)
  return {
    folder,
    count: () => readFileSync(counted, 'utf8').length,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

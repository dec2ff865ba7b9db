import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Paths } from '../../../runtime/paths.ts'

const keyFile = (paths: Pick<Paths, 'state'>): string => join(paths.state, 'forge.key')

/**
 * git’s `update` hook of the bare repository (run there, with ref, old and new commit). An agent
 * changes its own branch only, so that no work gets into another one without merge_pr; the daemon
 * shows its key; people are not held up. Where it borrows objects, the repository it borrows from
 * keeps what comes, and all that it goes back to, by a ref (adapters/git/lending.ts): of what was
 * pushed from elsewhere it gets a copy first. What the daemon pushes is its own. `sh` is whatever the
 * machine has: a function must not have the name of a special builtin, which bash as sh refuses.
 */
const HOOK = `#!/bin/sh
# Written by exomonad; do not edit.
ref=$1
new=$3
lender() {
  (
    unset GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_QUARANTINE_PATH
    exec git --git-dir=../.. -c core.hooksPath=/dev/null "$@"
  )
}
bring() {
  lender rev-list --objects --quiet "$new" --not --all 2>/dev/null && return
  { echo "$new"; lender for-each-ref '--format=^%(objectname)'; } |
    git pack-objects -q --revs --stdout | lender index-pack --stdin >/dev/null
}
keep() {
  case $new in
    *[!0]*) ;;
    *) exit 0 ;;
  esac
  [ -f objects/info/alternates ] || exit 0
  { [ "$1" = own ] || bring; } &&
    lender update-ref "refs/exomonad/kept/$(date +%s)-$new" "$new" && exit 0
  echo "exomonad: $new can't be kept in the repository that this one borrows its objects from." >&2
  exit 1
}
if [ -n "\${EXOMONAD_FORGE_KEY:-}" ] && [ "$EXOMONAD_FORGE_KEY" = "$(cat ../forge.key 2>/dev/null)" ]; then
  keep own
fi
if [ -z "\${EXOMONAD_AGENT_ID:-}" ]; then
  keep
fi
if [ "$ref" != "refs/heads/\${EXOMONAD_BRANCH:-}" ]; then
  echo "exomonad: \${EXOMONAD_AGENT_NAME:-this agent} may push only its own branch, \${EXOMONAD_BRANCH:-none}, not \${ref#refs/heads/}." >&2
  echo "exomonad: file your work with file_pr; work of your children comes in with merge_pr." >&2
  exit 1
fi
case $new in
  *[!0]*) keep ;;
esac
echo "exomonad: the branch \${EXOMONAD_BRANCH} carries your pull request and can't be deleted." >&2
exit 1
`

/**
 * Environment that lets a push past the guard: for the daemon’s own git only. Empty where there is
 * no guarded repository.
 */
export async function forgeKeyEnvironment(
  paths: Pick<Paths, 'state'>,
): Promise<Record<string, string>> {
  const key = await readFile(keyFile(paths), 'utf8').catch(() => '')
  return key === '' ? {} : { EXOMONAD_FORGE_KEY: key }
}

/** Puts hook and key in place, where they are not there as they should be. */
export async function installGuard(paths: Pick<Paths, 'state' | 'origin'>): Promise<void> {
  const file = keyFile(paths)
  if ((await readFile(file, 'utf8').catch(() => '')) === '')
    await replace(file, randomBytes(32).toString('hex'), 0o600)

  const hook = join(paths.origin, 'hooks', 'update')
  await mkdir(join(paths.origin, 'hooks'), { recursive: true })
  if ((await readFile(hook, 'utf8').catch(() => '')) !== HOOK) await replace(hook, HOOK, 0o755)
  else await chmod(hook, 0o755)

  // A hooks folder in the user’s own configuration would otherwise take the place of this one.
  const config = join(paths.origin, 'config')
  const text = await readFile(config, 'utf8')
  const lacks = [
    ...(/^\s*hooksPath = hooks$/m.test(text) ? [] : ['[core]\n\thooksPath = hooks\n']),
    // From a shallow clone its branches come with where they were cut off; git refuses that
    // otherwise.
    ...(/^\s*shallowUpdate = true$/m.test(text) ? [] : ['[receive]\n\tshallowUpdate = true\n']),
    // What it may borrow is known by these; a repository can have a great many tags.
    ...(/^\s*alternateRefsPrefixes = /m.test(text)
      ? []
      : ['[core]\n\talternateRefsPrefixes = refs/heads/ refs/remotes/\n']),
  ]
  if (lacks.length > 0)
    await replace(config, `${text.trimEnd()}\n${lacks.join('')}`, (await stat(config)).mode & 0o777)
}

/** Whole or not at all, for whoever reads it meanwhile and where a kill comes between. */
async function replace(path: string, content: string, mode: number): Promise<void> {
  const draft = `${path}.new`
  await writeFile(draft, content, { mode })
  await chmod(draft, mode)
  await rename(draft, path)
}

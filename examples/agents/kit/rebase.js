import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

const CONFLICT =
  /^<<<<<<< .*\n([\s\S]*?)(?:^\|\|\|\|\|\|\| .*\n[\s\S]*?)?^=======\n([\s\S]*?)^>>>>>>> .*\n/gm

/** Is a rebase under way in this worktree? */
export async function rebasing(workshop, worktree) {
  for (const name of ['rebase-merge', 'rebase-apply']) {
    const path = (await workshop.git('rev-parse', '--git-path', name)).trim()
    if (existsSync(resolve(worktree, path))) return true
  }
  return false
}

/**
 * Finishes a rebase that stopped at conflicts: each file by its rule ("keep both": theirs first,
 * then ours), until git is through. Throws for a file without a rule; the rebase then stays as it
 * is, for the parent to decide.
 */
export async function finishRebase({ workshop, worktree, folder, rules, transcript }) {
  while (await rebasing(workshop, worktree)) {
    const files = (await workshop.git('diff', '--name-only', '--diff-filter=U'))
      .split('\n')
      .filter(Boolean)
    for (const file of files) {
      const path = folder === '' ? file : file.slice(folder.length + 1)
      if (rules[path] !== 'keep both') throw new Error(`no rule for the conflict in ${file}`)
      const text = workshop.read(path)
      workshop.save(path, text.replaceAll(CONFLICT, '$1$2'))
      if (/^(<{7}|={7}|>{7})/m.test(workshop.read(path)))
        throw new Error(`markers are left in ${file}`)
      transcript.say(`${path}: both sides are wanted, keeping both`)
      await workshop.git('add', '--', file)
    }
    transcript.run('git rebase --continue')
    const { code, output } = await workshop.tryGit('rebase', '--continue')
    if (code !== 0 && !(await rebasing(workshop, worktree)))
      throw new Error(`git rebase --continue failed: ${output.trim()}`)
    if (code !== 0 && files.length === 0)
      throw new Error(`git rebase --continue is stuck: ${output.trim()}`)
  }
}

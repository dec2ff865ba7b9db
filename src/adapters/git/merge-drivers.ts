import type { Run } from './run.ts'

/** What git does by itself to a text file, as a driver; a binary file is a conflict. */
const TEXT_MERGE = 'git merge-file --marker-size=%L %A %O %B || exit 1'

/**
 * Settings that put git’s own text merge in the place of every merge driver the user has
 * configured, since a driver is a program that a repository’s .gitattributes can call. (An empty
 * command would count as a clean merge.) Asked for once.
 */
export function mergeDriverSettings(run: Run): () => Promise<readonly string[]> {
  let known: Promise<readonly string[]> | undefined
  const read = async (): Promise<readonly string[]> => {
    const result = await run.attempt(
      ['config', '--null', '--name-only', '--get-regexp', '^merge\\..*\\.driver$'],
      { reads: true },
    )
    return result.stdout
      .split('\0')
      .filter((key) => key !== '')
      .map((key) => `${key}=${TEXT_MERGE}`)
  }
  return () => (known ??= read())
}

import { readFile } from 'node:fs/promises'

/**
 * Which control groups this process is in, and what is mounted where, as Linux shows them (cgroups(7),
 * proc(5)); null where the system does not.
 */
export async function readOwnGroups(): Promise<{
  readonly groups: string
  readonly mounts: string
} | null> {
  try {
    const [groups, mounts] = await Promise.all(
      ['cgroup', 'mountinfo'].map((name) => readFile(`/proc/self/${name}`, 'utf8')),
    )
    return { groups: groups ?? '', mounts: mounts ?? '' }
  } catch {
    return null
  }
}

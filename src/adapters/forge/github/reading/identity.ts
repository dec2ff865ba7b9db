import type { GithubClient } from '../client/client.ts'
import type { GithubForgeOptions } from '../options.ts'

const KEY = 'github:identity'

export interface Identity {
  /** `github.com/1296269`: host and GitHub’s own number of the repository, which stays when it is renamed. Remembered for when GitHub is away. */
  read(): Promise<string>
  /** False only where it is known that this is another repository. */
  isSame(databaseId: number | null): boolean
}

export function createIdentity({
  repository: { host, owner, name },
  store,
  client,
}: Pick<GithubForgeOptions, 'repository' | 'store'> & { client: Pick<GithubClient, 'rest'> }): Identity {
  let id: number | undefined
  const asked = async (): Promise<number> => {
    const known = await store.snapshots.get(KEY)
    // Another remote is another repository.
    if (known?.['host'] === host && known['owner'] === owner && known['name'] === name && typeof known['id'] === 'number') return known['id']
    const { data } = await client.rest<{ id: number }>('GET /repos/{owner}/{repo}')
    await store.snapshots.put(KEY, { host, owner, name, id: data.id })
    return data.id
  }
  return {
    read: async () => `${host}/${(id ??= await asked())}`,
    isSame: (databaseId) => id === undefined || databaseId === null || databaseId === id,
  }
}

import type { StoreVerbs } from '../store/store.ts'

export interface Identity {
  /**
   * `github.com/1296269`: host and the forge’s own number of the repository, which stays when it is
   * renamed. Remembered for when the forge is away.
   */
  read(): Promise<string>
  /** False only where it is known that this is another repository. */
  isSame(databaseId: number | null): boolean
}

export function createIdentity({
  forge,
  repository: { host, owner, name },
  store,
  client,
}: {
  forge: 'github' | 'gitea'
  repository: { readonly host: string; readonly owner: string; readonly name: string }
  store: Pick<StoreVerbs, 'snapshots'>
  client: { rest<Data>(route: string): Promise<{ readonly data: Data }> }
}): Identity {
  const key = `${forge}:identity`
  let id: number | undefined
  const asked = async (): Promise<number> => {
    const known = await store.snapshots.get(key)
    // Another remote is another repository.
    if (
      known?.['host'] === host &&
      known['owner'] === owner &&
      known['name'] === name &&
      typeof known['id'] === 'number'
    )
      return known['id']
    const { data } = await client.rest<{ id: number }>('GET /repos/{owner}/{repo}')
    await store.snapshots.put(key, { host, owner, name, id: data.id })
    return data.id
  }
  return {
    read: async () => `${host}/${(id ??= await asked())}`,
    isSame: (databaseId) => id === undefined || databaseId === null || databaseId === id,
  }
}

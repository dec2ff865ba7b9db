import { guardStore } from '../adapters/store/guarded.ts'
import { openSqliteStore } from '../adapters/store/sqlite/open.ts'
import type { Store } from '../adapters/store/store.ts'
import type { Log } from '../runtime/log.ts'
import type { TextGate } from '../sanitize/text-gate.ts'
import type { KnownTokens } from './known-tokens.ts'

/** The daemon’s store, behind the text gate, which knows from it whose tokens there are. */
export async function openStore(options: {
  file: string
  backups: string
  log: Log
  clock: () => number
  gate: TextGate
  tokens: KnownTokens
}): Promise<Store> {
  const { gate, tokens } = options
  const store = guardStore(await openSqliteStore(options), gate, tokens.addHash)
  for (const { tokenHash } of await store.agents.list()) tokens.addHash(tokenHash)
  return store
}

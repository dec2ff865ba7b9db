import { createContext, use, useSyncExternalStore } from 'react'
import type { Connection, Standing } from './connection.ts'

const Live = createContext<Connection | null>(null)

export const LiveProvider = Live.Provider

export function useConnection(): Connection {
  const connection = use(Live)
  if (connection === null) throw new Error('outside of the page')
  return connection
}

export function useStanding(): Standing {
  const connection = useConnection()
  return useSyncExternalStore(connection.subscribe, connection.get)
}

/** Whether this page may change anything. */
export function useReadOnly(): boolean {
  const { access } = useStanding()
  return access.kind !== 'open' || access.readOnly
}

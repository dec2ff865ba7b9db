import { keptForAll } from '../parts/storage.ts'

/**
 * What shows the daemon that it is the page which asks. The cookie alone does not: browsers send it
 * to every port of the host. It came behind the `#` of the link’s address, which is sent nowhere,
 * and is kept for all tabs of this origin, to which the port belongs.
 */
const NAME = 'exomonad.page'
const IN_ADDRESS = /^#page=([\w-]+)$/

/** Keeps the key of a link that was just opened, and takes it out of the address. */
export function takePageKey(): void {
  const key = IN_ADDRESS.exec(location.hash)?.[1]
  if (key === undefined) return
  keptForAll.set(NAME, key)
  history.replaceState(history.state, '', `${location.pathname}${location.search}`)
}

/** Empty where there is none. */
export const pageKey = (): string => keptForAll.get(NAME) ?? ''

export const forgetPageKey = (): void => keptForAll.remove(NAME)

/** Calls back when another tab opened a link, until it is stopped. */
export function onOtherKey(listener: () => void): () => void {
  const changed = ({ key, newValue }: StorageEvent) => {
    if (key === NAME && newValue !== null) listener()
  }
  window.addEventListener('storage', changed)
  return () => window.removeEventListener('storage', changed)
}

/** To the daemon that serves the page; a WebSocket has no headers that a page could set. */
export const openSocket = (path: string): WebSocket =>
  new WebSocket(`${location.origin.replace(/^http/, 'ws')}${path}`, ['exomonad', pageKey()])

/**
 * What shows the daemon that it is the page which asks. The cookie alone does not: browsers send it
 * to every port of the host. It came behind the `#` of the link’s address, which is sent nowhere,
 * and is kept for all tabs of this origin, to which the port belongs.
 */
const NAME = 'exomonad.page'
const IN_ADDRESS = /^#page=([\w-]+)$/

/** Where the browser keeps nothing: until the page is loaded again. */
let held = ''

/** Keeps the key of a link that was just opened, and takes it out of the address. */
export function takePageKey(): void {
  const key = IN_ADDRESS.exec(location.hash)?.[1]
  if (key === undefined) return
  keep(key)
  history.replaceState(history.state, '', `${location.pathname}${location.search}`)
}

/** Empty where there is none. */
export function pageKey(): string {
  try {
    return localStorage.getItem(NAME) ?? held
  } catch {
    return held
  }
}

export const forgetPageKey = (): void => keep('')

function keep(key: string): void {
  held = key
  try {
    if (key === '') localStorage.removeItem(NAME)
    else localStorage.setItem(NAME, key)
  } catch {
    // A browser may be set to keep nothing.
  }
}

/** To the daemon that serves the page; a WebSocket has no headers that a page could set. */
export const openSocket = (path: string): WebSocket =>
  new WebSocket(`${location.origin.replace(/^http/, 'ws')}${path}`, ['exomonad', pageKey()])

import { PLACES } from './places.ts'

/**
 * What the tab is called: how many items need the person, then what it shows, so that tabs and the
 * browser’s history can be told apart. `agent`: what the agent of this address is called.
 */
export function titleOf({
  needs,
  repository,
  path,
  agent,
}: {
  readonly needs: number
  readonly repository: string | undefined
  readonly path: string
  readonly agent: string | undefined
}): string {
  const pull = /^\/pulls\/(\d+)/.exec(path)?.[1]
  const view =
    agent ??
    (pull === undefined
      ? PLACES.find(({ path: at }) => at !== '/' && path.startsWith(at))?.name
      : `#${pull}`)
  const words = [view, repository, 'exomonad'].filter((word) => word !== undefined)
  return `${needs > 0 ? `(${needs}) ` : ''}${words.join(' · ')}`
}

/** The id or name in an agent’s address. As it stands where it is no encoding: `100%` is a branch. */
export function agentOf(path: string): string | undefined {
  const part = /^\/agents\/([^/]+)/.exec(path)?.[1]
  try {
    return part === undefined ? undefined : decodeURIComponent(part)
  } catch {
    return part
  }
}

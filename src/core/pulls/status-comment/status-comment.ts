import { hash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { PullRequestSnapshot } from '../../../adapters/forge/forge.ts'
import type { View } from '../../agents/tree-document.ts'
import type { Directory } from '../../agents/directory.ts'
import type { Deps } from '../../deps.ts'
import { createPaced } from '../../once-per-interval.ts'
import { knownPulls } from '../pull-records.ts'
import { statusWords } from './words.ts'

/** Keeps one comment on the root’s pull request: the tree below it, with states and links. */
export interface StatusComment {
  start(): void
  stop(): Promise<void>
}

/** What stands there, as far as it is known. */
interface Written {
  readonly id: string
  /** Of the words: what has not changed is not written again. */
  readonly digest: string
}

/** Until a failed edit is tried again, where nothing happens before. Milliseconds. */
const AGAIN = 60_000
/** Events that change what the comment shows. */
const ABOUT = /^(agent|pr|ci|spawn)\./

/**
 * Written off the hot path: events only ask for it, at most once in `forge.poll_active` seconds it
 * is looked whether the words have changed, and what fails is tried again later and disturbs
 * nobody. `again`: milliseconds, which tests shorten.
 */
export function createStatusComment({
  store,
  forge,
  settings,
  publisher,
  log,
  view,
  root,
  again = AGAIN,
}: Pick<Deps, 'store' | 'forge' | 'settings' | 'publisher' | 'log'> & {
  view: View
  root: Directory['root']
  again?: number
}): StatusComment {
  const leaving = new AbortController()
  let retry: NodeJS.Timeout | undefined
  let stopEvents = (): void => {}

  /** The open pull request of the root, else the last that it had: that one gets the end. */
  const pullOfRoot = async (): Promise<PullRequestSnapshot | undefined> => {
    const { id, branch } = await root()
    const own = (await knownPulls(store)).filter(
      (pull) => pull.agentId === id || pull.head.branch === branch,
    )
    return own.findLast(({ state }) => state === 'open') ?? own.at(-1)
  }

  const write = async (): Promise<void> => {
    const { issues } = forge
    if (issues === null || !(await settings.snapshot()).config.forge.github.status_comment) return
    const pull = await pullOfRoot()
    if (pull === undefined) return
    const key = `status-comment:${await forge.identity()}#${pull.number}`
    const written = (await store.snapshots.get(key)) as Written | undefined
    // One that never got the comment does not get its end alone.
    if (pull.state !== 'open' && written === undefined) return
    const body = statusWords((await view.tree()).root)
    const digest = hash('sha256', body)
    if (written?.digest === digest) return
    const id = await issues.comment({
      number: pull.number,
      kind: 'status',
      id: written?.id ?? null,
      body,
    })
    await store.snapshots.put(key, { id, digest })
  }

  const pause = async (): Promise<void> => {
    const { poll_active: seconds } = (await settings.snapshot()).config.forge
    await delay(seconds * 1000 * Math.max(forge.budget()?.slowdown ?? 1, 1), undefined, {
      signal: leaving.signal,
      ref: false,
    }).catch(() => {})
  }

  const paced = createPaced<'status'>({
    interval: 0,
    run: async () => {
      try {
        if (!leaving.signal.aborted) await write()
      } finally {
        await pause()
      }
    },
    failed: (thrown) => {
      log.info({ err: thrown }, 'the status comment could not be written; it is tried again')
      clearTimeout(retry)
      if (!leaving.signal.aborted) retry = setTimeout(() => paced.request('status'), again).unref()
    },
  })

  return {
    start: () => {
      if (forge.issues === null) return
      stopEvents = publisher.onEvent(({ type }) => {
        if (ABOUT.test(type)) paced.request('status')
      })
      paced.request('status')
    },
    stop: async () => {
      leaving.abort()
      stopEvents()
      clearTimeout(retry)
      await paced.stop()
    },
  }
}

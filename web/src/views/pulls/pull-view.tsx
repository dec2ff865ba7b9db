import { useLayoutEffect, useState } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { printableLine } from '../../../../src/surfaces/text/printable.ts'
import { useTool } from '../../live/queries.ts'
import { useTree } from '../../live/tree.ts'
import { isTyping } from '../../parts/keys.ts'
import { Failed, Loading } from '../../parts/states.tsx'
import { agentPath, pullPath } from '../../shell/places.ts'
import { ChecksTab } from './checks-tab.tsx'
import { ChipView } from './chips.tsx'
import { CommitsTab } from './commits-tab.tsx'
import { Overview } from './overview.tsx'
import { FilesTab, type Revealed } from './review/files-tab.tsx'
import { usePinnedDiff } from './review/pinned-diff.ts'
import { checksChip, conflictChip, reviewChip, stateChip, type PullDetails } from './words.ts'
import './pulls.css'

const TABS = [
  ['overview', 'Overview'],
  ['files', 'Files changed'],
  ['commits', 'Commits'],
  ['checks', 'Checks'],
] as const
type Tab = (typeof TABS)[number][0]

/** One pull request: what it is, what it changes, what checks it, what is said of it, and its merge. */
export default function PullView({ number }: { readonly number: number }) {
  const { data: pull, error, refetch } = useTool('pr_show', { pr_number: number })
  if (pull !== undefined) return <Shown pull={pull} />
  if (error !== null) return <Failed error={error} retry={() => void refetch()} />
  return (
    <>
      <div className="view-head">
        <h1>#{number}</h1>
      </div>
      <div className="view-body">
        <div className="panel padded">
          <Loading what={`pull request ${number}`} rows={12} />
        </div>
      </div>
    </>
  )
}

function Shown({ pull }: { readonly pull: PullDetails }) {
  const { number } = pull
  const [, go] = useLocation()
  const wanted = new URLSearchParams(useSearch()).get('tab')
  const tab: Tab = TABS.find(([name]) => name === wanted)?.[0] ?? 'overview'
  const [reveal, setReveal] = useState<Revealed | null>(null)
  const pinned = usePinnedDiff(number, tab === 'files')
  const toTab = (to: Tab) => go(`${pullPath(number)}?tab=${to}`)

  // Before it is seen, so that no key is lost that is pressed then.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return
      const to = TABS[Number(event.key) - 1]
      if (to !== undefined) go(`${pullPath(number)}?tab=${to[0]}`)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [go, number])

  return (
    <div className="pull">
      <Head pull={pull} />
      <nav className="tabs" aria-label={`Parts of #${number}`}>
        {TABS.map(([name, words], index) => (
          <Link
            key={name}
            href={`${pullPath(number)}?tab=${name}`}
            aria-current={tab === name ? 'page' : undefined}
            aria-keyshortcuts={String(index + 1)}
          >
            {words}
            {name === 'checks' && pull.check_runs.length > 0 && (
              <span className={`dot tone-${checksChip(pull).tone}`} aria-hidden="true" />
            )}
          </Link>
        ))}
      </nav>
      <div className={`view-body pull-body${tab === 'files' ? ' fills' : ''}`}>
        {tab === 'overview' && (
          <Overview
            pull={pull}
            head={pinned.shown?.head_sha ?? pull.head_sha}
            showNew={() => {
              pinned.showNew()
              toTab('files')
            }}
            goTo={(place) => {
              setReveal(place)
              toTab('files')
            }}
          />
        )}
        {tab === 'files' && <FilesTab pull={pull} pinned={pinned} reveal={reveal} />}
        {tab === 'commits' && <CommitsTab number={number} head={pull.head_sha} />}
        {tab === 'checks' && <ChecksTab pull={pull} />}
      </div>
    </div>
  )
}

function Head({ pull }: { readonly pull: PullDetails }) {
  const { byId } = useTree()
  const agent = [...byId.values()].find(({ branch }) => branch === pull.head_branch)
  return (
    <header className="pull-head">
      <h1>
        <bdi>{printableLine(pull.title)}</bdi> <span className="hint">#{pull.number}</span>
      </h1>
      <p className="chips">
        <ChipView chip={stateChip(pull)} />
        <ChipView chip={checksChip(pull)} />
        <ChipView chip={reviewChip(pull)} />
        <ChipView chip={conflictChip(pull)} />
        <span className="branches mono">
          <bdi>{printableLine(pull.head_branch)}</bdi> →{' '}
          <bdi>{printableLine(pull.base_branch)}</bdi>
        </span>
        {pull.agent !== null && (
          <span className="hint">
            by{' '}
            {agent === undefined ? (
              <bdi>{printableLine(pull.agent)}</bdi>
            ) : (
              <Link href={agentPath(agent.id)}>
                <bdi>{printableLine(pull.agent)}</bdi>
              </Link>
            )}
          </span>
        )}
        {/^https?:/.test(pull.url) && (
          <a href={pull.url} target="_blank" rel="noreferrer noopener">
            On the forge
          </a>
        )}
      </p>
    </header>
  )
}

import { useEffect, useMemo, useRef, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import type { ItemType } from '../../../../src/domain/inbox-items.ts'
import { plural } from '../../../../src/surfaces/text/quantity.ts'
import { useTree } from '../../live/tree.ts'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { InboxList } from './inbox-list.tsx'
import { ItemDetail } from './item-detail.tsx'
import { following, itemsLike, TYPES, typesOf, unchosen, type Item } from './items.ts'
import { useInboxKeys } from './keys.ts'
import { News } from './news.tsx'
import { useRecentEvents } from './recent-events.ts'
import { settledBy } from './settled.ts'
import { useWords } from './settle/parts.tsx'
import { useInbox } from './use-inbox.ts'
import { useSettle, type Settle } from './use-settle.ts'
import './inbox.css'

/** Milliseconds that one needs to see that another item stands there. */
const STEADY = 600

type Shown = ItemType | 'news' | null

/** What needs the person: one after the other, settled in place. */
export default function InboxView() {
  const [type, setType] = useState<Shown>(null)
  const { total, byType, news } = useInbox(null)
  const { items, error, retry, more, hasMore } = useInbox(type === 'news' ? null : type)
  const settling = useSettle(items)
  const [text, setText] = useState('')
  const open = useMemo(
    () =>
      items?.filter(
        ({ id, since }) => since > (settling.settled.get(id) ?? Number.NEGATIVE_INFINITY),
      ),
    [items, settling.settled],
  )
  const shown = useMemo(
    () => itemsLike(open ?? [], { type: type === 'news' ? null : type, text }),
    [open, type, text],
  )
  // What is searched for may be among those that are not read yet.
  useEffect(() => {
    if (text.trim() !== '' && hasMore) more()
  }, [text, hasMore, more])
  const { current, isGone, chosen, select, leave, isSteady } = useCurrent(open, shown)
  // What was about to be pressed was meant for the item that stood there.
  const settle: Settle = (...what) => {
    if (isSteady()) settling.settle(...what)
    else settling.say('Another item came in its place: look again.')
  }
  const events = useRecentEvents()
  const { shorts } = useTree()
  const nameOf = (actor: string): string =>
    actor === 'human' ? 'Somebody' : (shorts.get(actor) ?? actor.replace(/^forge:/, ''))
  useInboxKeys({
    move: (by) => {
      const at = shown.findIndex(({ id }) => id === current?.id)
      const to = shown[Math.max(0, Math.min(shown.length - 1, at + by))]
      if (to !== undefined) select(to.id)
    },
    end: (which) => {
      const to = which === 'first' ? shown[0] : shown.at(-1)
      if (to !== undefined) select(to.id)
    },
  })
  if (items === undefined && error !== null) return <Failed error={error} retry={retry} />
  return (
    <div className={`inbox${chosen ? ' chosen' : ''}`}>
      <div className="view-head">
        <h1>Inbox</h1>
        <input
          type="search"
          data-search
          className="field search"
          placeholder="Search  /"
          aria-label="Search the inbox"
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.blur()
          }}
        />
        <div className="filters" role="group" aria-label="Type">
          <Filter name="All" count={total} isOn={type === null} choose={() => setType(null)} />
          {typesOf(byType).map((one) => (
            <Filter
              key={one}
              name={TYPES[one].many}
              count={byType[one] ?? 0}
              isOn={type === one}
              choose={() => setType(one)}
            />
          ))}
          <Filter name="News" count={news} isOn={type === 'news'} choose={() => setType('news')} />
        </div>
        <span role="status" className="tone-good inbox-said">
          {settling.said}
        </span>
      </div>
      <div className="view-body inbox-body">
        {type === 'news' ? (
          <News settling={settling} />
        ) : items === undefined ? (
          <div className="panel padded inbox-list">
            <Loading what="the inbox" rows={12} />
          </div>
        ) : total === 0 && open?.length === 0 && current === null ? (
          <Empty title="Nothing needs you">
            <p>Questions, permissions, failures and pull requests of your agents come here.</p>
            {news > 0 && (
              <button type="button" className="button" onClick={() => setType('news')}>
                Read the news: {plural(news, 'message')}
              </button>
            )}
          </Empty>
        ) : (
          <>
            <div className="panel inbox-list">
              {shown.length === 0 ? (
                <Empty title="Nothing is like that" />
              ) : (
                <InboxList
                  items={shown}
                  selected={current?.id ?? null}
                  going={settling.going}
                  select={select}
                  more={hasMore ? more : undefined}
                />
              )}
            </div>
            <div className="inbox-detail">
              <button
                type="button"
                className="button quiet inbox-back"
                onClick={() => select(null)}
              >
                ← All items
              </button>
              {current !== null && (
                <ItemDetail
                  key={current.id}
                  item={current}
                  isGone={isGone}
                  settledWords={isGone ? settledBy(current, events, nameOf) : null}
                  settling={{ ...settling, settle }}
                  leave={leave}
                />
              )}
            </div>
          </>
        )}
      </div>
    </div>
  )
}

function Filter({
  name,
  count,
  isOn,
  choose,
}: {
  readonly name: string
  readonly count: number
  readonly isOn: boolean
  readonly choose: () => void
}) {
  return (
    <button type="button" aria-pressed={isOn} onClick={choose}>
      {name} <span className="hint">{count}</span>
    </button>
  )
}

/**
 * The item that is looked at, by the address (`?item=`), else the first. One that is settled makes
 * way for the next, unless something is written about it.
 */
function useCurrent(
  open: readonly Item[] | undefined,
  shown: readonly Item[],
): {
  readonly current: Item | null
  readonly isGone: boolean
  /** It was chosen, and is not just the first: where there is room for one only, it is shown. */
  readonly chosen: boolean
  readonly select: (id: string | null) => void
  readonly leave: () => void
  /** The person has had time to see which item it is. */
  readonly isSteady: () => boolean
} {
  const [, go] = useLocation()
  const wanted = new URLSearchParams(useSearch()).get('item')
  const [last, setLast] = useState<Item | null>(null)
  const order = useRef<readonly string[]>([])
  const steady = useRef<{ id: string | undefined; chosen: string | null; since: number }>({
    id: undefined,
    chosen: null,
    since: 0,
  })
  const show = (id: string | null, replace = true) =>
    go(id === null ? '/inbox' : `/inbox?item=${encodeURIComponent(id)}`, { replace })
  const select = (id: string | null) => {
    steady.current.chosen = id
    // Whoever chooses the one that stands there has seen it.
    if (id === steady.current.id) steady.current.since = 0
    // Where an item takes the place of the list, the browser’s way back leads to that.
    show(id, wanted !== null || id === null)
  }
  const { words } = useWords({ id: last?.id ?? '' })
  const isAnswering = words !== '' || document.querySelector('.inbox-item :focus') !== null
  const found =
    wanted === null ? unchosen(shown, last?.id, isAnswering) : open?.find(({ id }) => id === wanted)
  if (found !== undefined && found !== last) setLast(found)
  const wasLast = last !== null && (wanted === null || last.id === wanted)
  const isGone =
    open !== undefined && wasLast && words !== '' && !open.some(({ id }) => id === last.id)
  const ids = shown.map(({ id }) => id)
  const next = (): void => show(following(order.current, ids, wanted ?? last?.id ?? ''))
  useEffect(() => {
    if (open !== undefined && wanted !== null && found === undefined && !isGone) next()
  })
  useEffect(() => {
    if (!isGone) order.current = ids
  })
  const current = isGone ? last : (found ?? null)
  useEffect(() => {
    const before = steady.current
    if (current?.id === before.id) return
    const isOwn = before.id === undefined || current?.id === before.chosen
    steady.current = { id: current?.id, chosen: null, since: isOwn ? 0 : performance.now() }
  })
  return {
    current,
    isGone,
    chosen: wanted !== null,
    select,
    leave: next,
    isSteady: () => performance.now() - steady.current.since > STEADY || steady.current.since === 0,
  }
}

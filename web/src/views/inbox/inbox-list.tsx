import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import { printableLine } from '../../../../src/surfaces/text/printable.ts'
import { relativeTime } from '../../../../src/surfaces/text/relative-time.ts'
import { useNow } from '../../parts/now.ts'
import { TYPES, type Item } from './items.ts'

const HEIGHT = 66
/** So many items before the end of those that were read, more are. */
const AHEAD = 50

/** The items, any number of them. */
export function InboxList({
  items,
  selected,
  going,
  select,
  more,
}: {
  readonly items: readonly Item[]
  /** Its id. */
  readonly selected: string | null
  readonly going: ReadonlySet<string>
  readonly select: (id: string) => void
  /** Reads on; undefined where these are all. */
  readonly more: (() => void) | undefined
}) {
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => HEIGHT,
    overscan: 8,
    getItemKey: (index) => items[index]?.id ?? index,
  })
  const last = rows.getVirtualItems().at(-1)?.index ?? 0
  useEffect(() => {
    if (last >= items.length - AHEAD) more?.()
  }, [last, items.length, more])
  const at = items.findIndex(({ id }) => id === selected)
  useEffect(() => {
    if (at >= 0) rows.scrollToIndex(at)
    // Where another is selected, not where others come and go.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [selected])
  return (
    <div
      ref={scroller}
      className="inbox-scroll"
      role="listbox"
      aria-label="What needs you"
      aria-activedescendant={at < 0 ? undefined : `item-${at}`}
      tabIndex={0}
    >
      <div role="presentation" style={{ height: rows.getTotalSize(), position: 'relative' }}>
        {rows.getVirtualItems().map(({ index, key, start }) => {
          const item = items[index]
          return item === undefined ? null : (
            <Row
              key={key}
              item={item}
              index={index}
              count={items.length}
              top={start}
              isSelected={item.id === selected}
              isGoing={going.has(item.id)}
              select={select}
            />
          )
        })}
      </div>
    </div>
  )
}

function Row({
  item,
  index,
  count,
  top,
  isSelected,
  isGoing,
  select,
}: {
  readonly item: Item
  readonly index: number
  readonly count: number
  readonly top: number
  readonly isSelected: boolean
  readonly isGoing: boolean
  readonly select: (id: string) => void
}) {
  const { one, tone } = TYPES[item.type]
  return (
    <div
      id={`item-${index}`}
      role="option"
      aria-selected={isSelected}
      aria-posinset={index + 1}
      aria-setsize={count}
      className={`inbox-row${isSelected ? ' selected' : ''}${isGoing ? ' going' : ''}`}
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => select(item.id)}
    >
      <span className="inbox-line">
        <span className={`chip tone-${tone}`}>{one}</span>
        {item.agent !== null && <bdi className="ellipsis who">{printableLine(item.agent)}</bdi>}
        <Since at={item.since} />
      </span>
      <bdi className="inbox-words ellipsis">{printableLine(wordsOf(item))}</bdi>
    </div>
  )
}

/** Without the name in front, which stands above it. */
function wordsOf({ title, agent }: Item): string {
  const words =
    agent !== null && title.startsWith(`${agent} `) ? title.slice(agent.length + 1) : title
  return words.replace(
    /^(?:asks(?: for (?:permission|approval))?|waits in its terminal|failed): /,
    '',
  )
}

/** Alone, so that a second that passes draws nothing else. */
function Since({ at }: { readonly at: number }) {
  return <span className="hint">{relativeTime(at, useNow())}</span>
}

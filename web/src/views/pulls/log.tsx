import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef } from 'react'
import { printableLine } from '../../../../src/surfaces/text/printable.ts'

const HEIGHT = 19

/** A log of any length, at its end; its lines are safe to show. */
export function Log({ text, name }: { readonly text: string; readonly name: string }) {
  const lines = useMemo(() => text.split('\n'), [text])
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => HEIGHT,
    overscan: 20,
  })
  useEffect(() => {
    rows.scrollToIndex(lines.length - 1, { align: 'end' })
    // To its end when it is opened: where it failed.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [])
  return (
    <div
      ref={scroller}
      className="log mono"
      tabIndex={0}
      role="region"
      aria-label={`Log of ${printableLine(name)}`}
      style={{ height: Math.min(420, lines.length * HEIGHT + 20) }}
    >
      <div style={{ height: rows.getTotalSize(), position: 'relative' }}>
        {rows.getVirtualItems().map(({ index, key, start }) => (
          <div
            key={key}
            data-index={index}
            ref={rows.measureElement}
            className="log-line"
            style={{ transform: `translateY(${start}px)` }}
          >
            <span aria-hidden="true">{index + 1}</span>
            <span>{lines[index]}</span>
          </div>
        ))}
      </div>
    </div>
  )
}

import { useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useLayoutEffect, useMemo, useRef } from 'react'
import { useLocation } from 'wouter'
import { useReadOnly, useStanding } from '../../live/context.tsx'
import { useTree } from '../../live/tree.ts'
import { useKeptInView } from '../../parts/kept-in-view.ts'
import { isTyping } from '../../parts/keys.ts'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { agentPath } from '../../shell/places.ts'
import { flatten } from './flatten.ts'
import { NeedsMe } from './needs-me.tsx'
import { TreeHead } from './tree-head.tsx'
import { HEIGHT, TreeRow } from './tree-row.tsx'
import { NOTHING, useWish } from './use-wish.ts'
import './tree.css'

/** Rows drawn above and below those that are seen. */
const OVERSCAN = 6
/** About so much stands above the rows: as many as that leaves are drawn before they are measured. Pixels. */
const ABOVE = 160
/** Where it was scrolled to when somebody went to another view. Pixels. */
let scrolled = 0

/** The whole tree, live, with what needs the person on top. */
export function TreeView() {
  const { tree, shorts, error } = useTree()
  const { link } = useStanding()
  const readOnly = useReadOnly()
  const { wish, setWish, selected, setSelected } = useWish()
  const [, go] = useLocation()
  const scroller = useRef<HTMLDivElement>(null)
  const lines = useMemo(() => (tree === null ? [] : flatten(tree.root, wish)), [tree, wish])
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => HEIGHT,
    overscan: OVERSCAN,
    initialOffset: () => scrolled,
    initialRect: { width: 0, height: window.innerHeight - ABOVE },
  })
  const at = Math.max(
    0,
    lines.findIndex(({ node }) => node.id === selected),
  )
  useKeptInView(scroller, { top: at * HEIGHT, bottom: (at + 1) * HEIGHT })
  const open = useCallback((id: string) => go(agentPath(id)), [go])
  const fold = useCallback(
    (id: string, isFolded?: boolean) => {
      setWish((wish) => {
        const folded = new Set(wish.folded)
        if (isFolded ?? !folded.has(id)) folded.add(id)
        else folded.delete(id)
        return { ...wish, folded }
      })
    },
    [setWish],
  )
  useLayoutEffect(() => {
    const element = scroller.current
    return () => {
      scrolled = element?.scrollTop ?? 0
    }
  }, [])
  const select = (index: number) => {
    const line = lines[Math.max(0, Math.min(lines.length - 1, index))]
    if (line === undefined) return
    setSelected(line.node.id)
    rows.scrollToIndex(lines.indexOf(line))
    // Where the window is lower than the view, as at 200 %.
    scroller.current?.scrollIntoView({ block: 'nearest' })
  }

  // Before it is seen, so that no key is lost that is pressed then.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return
      const line = lines[at]
      const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? HEIGHT) / HEIGHT) - 1)
      const moves: Readonly<Record<string, number>> = {
        j: at + 1,
        ArrowDown: at + 1,
        k: at - 1,
        ArrowUp: at - 1,
        PageDown: at + page,
        PageUp: at - page,
        Home: 0,
        End: lines.length - 1,
      }
      const to = moves[event.key]
      if (to !== undefined) select(to)
      else if (event.key === 'Enter' && line !== undefined && !isOnControl(event))
        open(line.node.id)
      else if (event.key === 'ArrowLeft' && line !== undefined) fold(line.node.id, true)
      else if (event.key === 'ArrowRight' && line !== undefined) fold(line.node.id, false)
      else return
      event.preventDefault()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })

  if (tree === null && error !== null && link !== 'lost') return <Failed error={error} />
  return (
    <>
      <TreeHead wish={wish} change={(wish) => setWish(() => wish)} shown={lines.length} />
      <div className="view-body tree">
        {tree !== null && <NeedsMe tree={tree} />}
        <div className="tree-lines panel">
          <div className="tree-titles" aria-hidden="true">
            <span>Agent</span>
            <span>State</span>
            <span>Since</span>
            <span>Pull request</span>
            <span>Checks</span>
            <span className="end">Tokens</span>
            <span className="end">Cost</span>
            <span className="end">Mail</span>
            <span>Task</span>
          </div>
          <div
            ref={scroller}
            className="tree-scroll"
            role="tree"
            aria-label="Agents"
            aria-activedescendant={
              lines[at] === undefined ? undefined : `agent-${lines[at].node.id}`
            }
            tabIndex={0}
          >
            {tree === null && <Loading what="the tree" rows={14} />}
            {tree !== null && lines.length === 0 && (
              <Empty title="No agent is like that">
                <button type="button" className="button" onClick={() => setWish(() => NOTHING)}>
                  Show all
                </button>
              </Empty>
            )}
            <div style={{ height: rows.getTotalSize(), position: 'relative' }}>
              {rows.getVirtualItems().map(({ index, start }) => {
                const line = lines[index]
                if (line === undefined) return null
                return (
                  <TreeRow
                    key={line.node.id}
                    {...line}
                    top={start}
                    shorts={shorts}
                    isSelected={index === at}
                    open={open}
                    fold={fold}
                    select={setSelected}
                  />
                )
              })}
            </div>
          </div>
        </div>
        {tree !== null && tree.counts.agents === 0 && (
          <Empty title="Only the root is here">
            <p>
              Give it a task with <code>exomonad up "what to do"</code>
              {readOnly ? '.' : ', or spawn from here.'}
            </p>
          </Empty>
        )}
      </div>
    </>
  )
}

const isOnControl = ({ target }: KeyboardEvent): boolean =>
  target instanceof Element && target.closest('a, button') !== null

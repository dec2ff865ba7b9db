import { useEffect, useRef, type RefObject } from 'react'

/** Heights are whole pixels, and where it is scrolled to is not. */
const ROUNDING = 1

/**
 * Has a row that is seen whole stay so where what scrolls gets lower, as when something else comes
 * on top of it. One that the person scrolled away from stays away. `row`: its upper and lower edge
 * in what scrolls, pixels.
 */
export function useKeptInView(
  scroller: RefObject<HTMLElement | null>,
  row: { readonly top: number; readonly bottom: number },
): void {
  const kept = useRef(row)
  useEffect(() => {
    kept.current = row
  })
  useEffect(() => {
    const element = scroller.current
    if (element === null) return
    let height = element.clientHeight
    const observer = new ResizeObserver(() => {
      const before = height
      height = element.clientHeight
      const { top, bottom } = kept.current
      const { scrollTop } = element
      const wasSeen = top >= scrollTop - ROUNDING && bottom <= scrollTop + before + ROUNDING
      if (wasSeen && bottom > scrollTop + height) element.scrollTop = bottom - height + ROUNDING
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [scroller])
}

import { useEffect, useState, type RefObject } from 'react'
import { keptForAll } from '../storage.ts'

const KEY = 'exomonad.diff'
/** Pixels from which two columns, and the files beside them, have room. */
const WIDE = 860

/** Whether old and new stand side by side: as it was chosen last, where there is room. */
export function useSplit(frame: RefObject<HTMLElement | null>): {
  readonly split: boolean
  readonly isWide: boolean
  readonly toggle: () => void
} {
  const [wanted, setWanted] = useState(() => keptForAll.get(KEY) === 'split')
  const [isWide, setWide] = useState(() => window.innerWidth > WIDE)
  useEffect(() => {
    const element = frame.current
    if (element === null) return
    const observer = new ResizeObserver(() => setWide(element.clientWidth >= WIDE))
    observer.observe(element)
    return () => observer.disconnect()
  }, [frame])
  return {
    split: wanted && isWide,
    isWide,
    toggle: () => {
      keptForAll.set(KEY, wanted ? 'unified' : 'split')
      setWanted(!wanted)
    },
  }
}

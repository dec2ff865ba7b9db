import type { FoldDocument } from '../../../../core/fold/ahead/fold-document.ts'
import { shortDuration } from '../../../text/duration.ts'
import type { Palette } from '../../../text/palette.ts'
import { printableLine } from '../../../text/printable.ts'
import { displayWidth } from '../../../text/width.ts'
import { foldLines } from '../../fold/fold-lines.ts'
import type { Scroll } from '../rows/compose-scrollback.ts'
import { wrapLine } from '../rows/wrap.ts'

/** What open pull requests come to together, of the bases that concern one agent. */
export interface FoldOverlay {
  readonly kind: 'fold'
  /** Id. */
  readonly agent: string
  /** Where its own work goes, and where that of its children comes; the fold of each is shown. */
  readonly bases: readonly string[]
  /** Null until it was read. */
  readonly fold: FoldDocument | null
  /** When it was read. Milliseconds since the epoch. */
  readonly at: number
  readonly scroll: Scroll
}

/** What `exomonad fold` shows, of these bases alone. */
export function foldRows(
  { bases, fold, at }: FoldOverlay,
  { width, palette, now }: { width: number; palette: Palette; now: number },
): string[] {
  if (fold === null) return [palette.dim('Asking what the open pull requests come to …')]
  const shown = fold.bases.filter(({ base }) => bases.includes(base))
  const others = fold.bases.length - shown.length
  const names = bases.map(printableLine).join(', ')
  return [
    palette.dim(`Fold of ${names} · ${shortDuration((now - at) / 1000)} ago · R reads it again`),
    ...foldLines({ ...fold, bases: shown }, { width, palette }),
    ...(others === 0
      ? []
      : ['', palette.dim(`Of ${others} more: \`exomonad fold\`, or /fold AGENT`)]),
  ].flatMap((row) => (displayWidth(row) <= width ? [row] : wrapLine(row, width)))
}

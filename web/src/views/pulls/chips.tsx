import { printableLine } from '../../../../src/surfaces/text/printable.ts'
import type { Chip } from './words.ts'

export const ChipView = ({ chip }: { readonly chip: Chip | null }) =>
  chip === null ? null : (
    <span className={`chip tone-${chip.tone}`}>{printableLine(chip.text)}</span>
  )

import type { ReactNode } from 'react'

/** Line drawings of 24×24, for beside words: they say nothing by themselves. */
const icon = (children: ReactNode) =>
  function Icon() {
    return (
      <svg
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.8"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
      >
        {children}
      </svg>
    )
  }

export const TreeIcon = icon(
  <>
    <circle cx="6" cy="5" r="2" />
    <circle cx="17" cy="12" r="2" />
    <circle cx="17" cy="19" r="2" />
    <path d="M6 7v12h9M6 12h9" />
  </>,
)
export const InboxIcon = icon(<path d="M4 13l3-8h10l3 8v6H4zM4 13h5l1 2h4l1-2h5" />)
export const PullIcon = icon(
  <>
    <circle cx="6" cy="6" r="2" />
    <circle cx="6" cy="18" r="2" />
    <circle cx="18" cy="18" r="2" />
    <path d="M6 8v8M18 16v-6a3 3 0 0 0-3-3h-4M13 4l-3 3 3 3" />
  </>,
)
export const FoldIcon = icon(<path d="M4 6h6l4 6-4 6H4M20 6h-4M20 12h-2M20 18h-4" />)
export const TimelineIcon = icon(
  <>
    <circle cx="12" cy="12" r="8" />
    <path d="M12 7v5l3 2" />
  </>,
)
export const CostIcon = icon(<path d="M4 20V10M10 20V4M16 20v-7M22 20H2" />)
export const LeaveIcon = icon(<path d="M14 4h5v16h-5M10 8l-4 4 4 4M6 12h9" />)
export const SpawnIcon = icon(<path d="M12 5v14M5 12h14" />)

import type { ReactNode } from 'react'
import { wordsOf } from '../api/errors.ts'

/** A view that has nothing to show yet: the shape of what is to come, so that nothing jumps. */
export function Loading({ rows = 8, what }: { readonly rows?: number; readonly what: string }) {
  return (
    <div role="status" aria-label={`Reading ${what}`}>
      {Array.from({ length: rows }, (_, index) => (
        <div
          key={index}
          className="skeleton"
          style={{ height: 18, margin: '8px 0', width: `${92 - ((index * 17) % 45)}%` }}
        />
      ))}
    </div>
  )
}

export function Empty({
  title,
  children,
}: {
  readonly title: string
  readonly children?: ReactNode
}) {
  return (
    <div className="state">
      <strong>{title}</strong>
      {children}
    </div>
  )
}

/** What the daemon said, and how to ask again. */
export function Failed({
  error,
  retry,
}: {
  readonly error: unknown
  readonly retry?: (() => void) | undefined
}) {
  return (
    <div className="state" role="alert">
      <strong>This can’t be shown</strong>
      <p>{wordsOf(error)}</p>
      {retry !== undefined && (
        <button type="button" className="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  )
}

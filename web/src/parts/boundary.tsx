import { Component, type ReactNode } from 'react'
import { wordsOf } from '../api/errors.ts'

/** Around a view: a fault in it leaves the rest of the page, and says what to do. */
export class Boundary extends Component<
  { readonly children: ReactNode },
  { readonly fault: unknown }
> {
  override state = { fault: null as unknown }

  static getDerivedStateFromError(fault: unknown) {
    return { fault }
  }

  override render() {
    const { fault } = this.state
    if (fault === null) return this.props.children
    return (
      <div className="state" role="alert">
        <strong>This view has a fault</strong>
        <p>{wordsOf(fault)}</p>
        <p>The daemon may be of another version than this page. Nothing was lost.</p>
        <button type="button" className="button" onClick={() => location.reload()}>
          Load the page again
        </button>
      </div>
    )
  }
}

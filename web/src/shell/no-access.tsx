import { useConnection } from '../live/context.tsx'

/** A browser without a link, or whose link is over: what to do, and nothing of the tree. */
export function NoAccess({ why }: { readonly why: string }) {
  const connection = useConnection()
  const isUsed = new URLSearchParams(location.search).get('link') === 'used'
  return (
    <main className="state" style={{ minHeight: '100%' }}>
      <img src="/icon.svg" alt="" width={48} height={48} />
      <h1>{isUsed ? 'This link was used, or is too old' : 'This browser is not let in'}</h1>
      <p>{isUsed ? 'A link is good once, for a minute.' : why}</p>
      <p>
        Run <code>exomonad web</code> in the repository for a new one.
      </p>
      <button type="button" className="button" onClick={() => connection.retry()}>
        Try again
      </button>
    </main>
  )
}

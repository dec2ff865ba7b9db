import { useEffect } from 'react'
import { useConnection } from '../live/context.tsx'

/** What became of the link, by what the address says. */
const LINKS: Readonly<Record<string, readonly [string, string]>> = {
  used: ['This link was used, or is too old', 'A link is good once, for a minute.'],
  ended: [
    'You are logged out',
    'This browser sees nothing more of the tree, in any tab. The agents go on.',
  ],
}

/** A browser without a link, or whose link is over: what to do, and nothing of the tree. */
export function NoAccess({ why }: { readonly why: string }) {
  const connection = useConnection()
  const link = new URLSearchParams(location.search).get('link')
  const [title, words] = (link === null ? undefined : LINKS[link]) ?? [
    'This browser is not let in',
    // By another link, too, it would not be.
    navigator.cookieEnabled
      ? why.replace(/ `exomonad web` opens .*$/, '')
      : `It keeps no cookies for ${location.host}. Allow them first.`,
  ]
  useEffect(() => {
    // Nothing of the tree stays in it.
    document.title = `${title} · exomonad`
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
    if (icon !== null) icon.href = '/icon.svg'
  }, [title])
  return (
    <main className="state" style={{ minHeight: '100%' }}>
      <img src="/icon.svg" alt="" width={48} height={48} />
      <h1>{title}</h1>
      <p>{words}</p>
      <p>
        Run <code>exomonad web</code> in the repository for a new one.
      </p>
      <button type="button" className="button" onClick={() => connection.retry()}>
        Try again
      </button>
    </main>
  )
}

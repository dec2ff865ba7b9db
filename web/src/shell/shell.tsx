import { useEffect, useRef, type ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { plural } from '../../../src/surfaces/text/quantity.ts'
import { printableLine } from '../../../src/surfaces/text/printable.ts'
import { useReadOnly } from '../live/context.tsx'
import { useShort, useTreeFact } from '../live/tree.ts'
import { Banner } from './banner.tsx'
import { KeyHelp } from './key-help.tsx'
import { LogOut } from './log-out.tsx'
import { PLACES } from './places.ts'
import { ThemeButton } from './theme.tsx'
import { agentOf, titleOf } from './title.ts'
import './shell.css'

/** What stands around every view: where one is, where one can go, what needs the person. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const repository = useTreeFact((tree) => tree?.repository)
  const live = useTreeFact((tree) => tree?.counts.live)
  const needs = useTreeFact((tree) => tree?.inbox.items ?? 0)
  const readOnly = useReadOnly()
  const [path] = useLocation()
  useTitle(needs, repository, path)
  useIcon(needs > 0)
  useFocusOf(path)
  return (
    <div className="shell">
      <header className="bar">
        <Link href="/" className="brand">
          <img src="/icon.svg" alt="" />
          exomonad
        </Link>
        <span className="repository mono ellipsis" title={repository}>
          {printableLine(repository?.split('/').at(-1) ?? '')}
        </span>
        <span className="counts">
          {readOnly && live !== undefined && <span className="chip">read only</span>}
          {live !== undefined && <span className="chip">{plural(live, 'live agent')}</span>}
        </span>
        <KeyHelp />
        <ThemeButton />
        <LogOut />
      </header>
      <nav className="nav" aria-label="Views">
        {PLACES.filter(({ writes }) => writes !== true || !readOnly).map(
          ({ path: to, name, icon: Icon, key }) => (
            <Link
              key={to}
              href={to}
              aria-current={isAt(path, to) ? 'page' : undefined}
              aria-keyshortcuts={`g ${key}`}
            >
              <Icon />
              {name}
              {to === '/inbox' && needs > 0 && (
                <span className="count" aria-label={`${plural(needs, 'item')}`}>
                  {needs}
                </span>
              )}
            </Link>
          ),
        )}
      </nav>
      <main className="main" id="main" tabIndex={-1}>
        {children}
      </main>
      <Banner />
    </div>
  )
}

const isAt = (path: string, to: string): boolean =>
  to === '/' ? path === '/' || path.startsWith('/agents') : path.startsWith(to)

/** How many items need the person, where one sees it while looking at another tab. */
function useTitle(needs: number, repository: string | undefined, path: string): void {
  const address = agentOf(path)
  const short = useShort(address)
  const agent = address === undefined ? undefined : printableLine(short ?? address)
  const name =
    repository === undefined ? undefined : printableLine(repository.split('/').at(-1) ?? '')
  const title = titleOf({ needs, repository: name, path, agent })
  useEffect(() => {
    document.title = title
  }, [title])
}

/**
 * Keys go to the view that one went to, and not to the link that led there, where Enter would follow
 * it again. What has the focus in the view already keeps it.
 */
function useFocusOf(path: string): void {
  const before = useRef(path)
  useEffect(() => {
    if (before.current === path) return
    before.current = path
    const { activeElement } = document
    if (activeElement === document.body || activeElement?.closest('.nav, .bar') != null)
      document.getElementById('main')?.focus({ preventScroll: true })
  }, [path])
}

/** That something does, where the tab is too narrow for words. */
function useIcon(needs: boolean): void {
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
    if (link !== null) link.href = needs ? '/icon-needs-you.svg' : '/icon.svg'
  }, [needs])
}

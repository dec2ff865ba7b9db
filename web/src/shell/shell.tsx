import { useEffect, type ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { plural } from '../../../src/surfaces/text/quantity.ts'
import { printableLine } from '../../../src/surfaces/text/printable.ts'
import { useReadOnly } from '../live/context.tsx'
import { useTreeFact } from '../live/tree.ts'
import { Banner } from './banner.tsx'
import { KeyHelp } from './key-help.tsx'
import { LogOut } from './log-out.tsx'
import { PLACES } from './places.ts'
import { ThemeButton } from './theme.tsx'
import './shell.css'

/** What stands around every view: where one is, where one can go, what needs the person. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const repository = useTreeFact((tree) => tree?.repository)
  const live = useTreeFact((tree) => tree?.counts.live)
  const needs = useTreeFact((tree) => tree?.inbox.items ?? 0)
  const readOnly = useReadOnly()
  const [path] = useLocation()
  useTitle(needs, repository)
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
function useTitle(needs: number, repository: string | undefined): void {
  useEffect(() => {
    const name =
      repository === undefined ? '' : `${printableLine(repository.split('/').at(-1) ?? '')} · `
    document.title = `${needs > 0 ? `(${needs}) ` : ''}${name}exomonad`
  }, [needs, repository])
}

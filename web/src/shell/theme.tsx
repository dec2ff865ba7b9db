import { useState } from 'react'
import { keptForAll } from '../parts/storage.ts'

const KEY = 'exomonad.theme'
const THEMES = ['system', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]

const stored = (): Theme => THEMES.find((theme) => theme === keptForAll.get(KEY)) ?? 'system'

/** Before the first paint. */
export function applyTheme(theme: Theme = stored()): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}

const SIGNS = { system: '◐', light: '☀', dark: '☾' } as const

export function ThemeButton() {
  const [theme, setTheme] = useState(stored)
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system'
  return (
    <button
      type="button"
      className="button quiet"
      aria-label={`Colours: ${theme}. Change to ${next}`}
      title={`Colours: ${theme}`}
      onClick={() => {
        keptForAll.set(KEY, next)
        applyTheme(next)
        setTheme(next)
      }}
    >
      <span aria-hidden="true">{SIGNS[theme]}</span>
    </button>
  )
}

import { HOME_KEY, IDLE_KEY } from './client.ts'

/**
 * A string of KDL, in which Zellij’s configuration is written: JSON’s, but for how it writes a
 * character by its number.
 */
export const quote = (text: string): string =>
  JSON.stringify(text).replace(/\\u([0-9a-f]{4})/gi, '\\u{$1}')

/**
 * A bar costs Zellij 5 MB and, among a hundred, 90 ms of work (0.45.1): tabs beyond so many come
 * without one.
 */
export const MOST_BARS = 20

const BAR = 'pane size=1 borderless=true {\nplugin location="zellij:compact-bar"\n}\n'
const LAYOUT = 'agents'

export interface Tab {
  readonly name: string
  readonly argv: readonly string[]
  readonly bar: boolean
}

/** Tabs that run a program each, and close with it. */
export const tabsLayout = (tabs: readonly Tab[]): string =>
  `layout {\n${tabs.map(tabOf).join('')}}\n`

const tabOf = ({ name, argv: [program = '', ...args], bar }: Tab): string =>
  `tab name=${quote(name)} {\n${bar ? BAR : ''}pane command=${quote(program)} close_on_exit=true {\nargs ${args.map(quote).join(' ')}\n}\n}\n`

/** The first tab stays: a session without panes would end. What is typed there goes nowhere. */
const FIRST = `layout {
default_tab_template {
${BAR}children
}
tab name="exomonad" {
pane name="Agents of exomonad" command="/bin/sh" {
args "-c" "stty raw -echo; printf 'Agents of exomonad have the other tabs. They go on when this is closed.'; exec cat >/dev/null"
}
}
}
`

/**
 * Files of a session’s configuration, by their names in `folder`. What it looked like is not
 * written down: Zellij would start the commands anew from that.
 */
export const filesOf = (folder: string): Readonly<Record<string, string>> => ({
  [`${LAYOUT}.kdl`]: FIRST,
  'config.kdl': `session_serialization false
show_startup_tips false
show_release_notes false
web_server false
on_force_close "detach"
scroll_buffer_size 10000
layout_dir ${quote(folder)}
default_layout ${quote(LAYOUT)}
load_plugins {
}
keybinds {
  shared {
    bind ${quote(HOME_KEY.name)} { GoToTab 1; }
    bind ${quote(IDLE_KEY.name)} { SwitchToMode "Normal"; }
  }
}
`,
})

import { describe, expect, it } from 'vitest'
import { attachCommand } from '../../../../../src/adapters/terminals/zellij/attach.ts'
import { tabsLayout } from '../../../../../src/adapters/terminals/zellij/layout.ts'
import { marked, parseEntries } from '../../../../../src/adapters/terminals/zellij/panes.ts'
import { asPaneId } from '../../../../../src/domain/ids.ts'

describe('what Zellij is given', () => {
  it('tabs are written as KDL, whatever stands in names and arguments', () => {
    const text = tabsLayout([
      { name: 'a "b" \\ {', argv: ['/bin/sh', '-c', 'x\u001B\n', ''], bar: true },
    ])
    expect(text).toContain(String.raw`tab name="a \"b\" \\ {" {`)
    expect(text).toContain(String.raw`args "-c" "x\u{001b}\n" ""`)
    expect(text).toContain('compact-bar')
    expect(tabsLayout([{ name: 'x', argv: ['cat'], bar: false }])).not.toContain('bar')
  })

  it('a person is taken there from inside, from another session, and from elsewhere', () => {
    const common = { binary: 'zellij', session: 'exom-1', socketDir: '/s', pane: 'terminal_4' }
    expect(attachCommand({ ...common, inside: 'exom-1' })).toEqual([
      'zellij',
      'action',
      'focus-pane-id',
      'terminal_4',
    ])
    expect(attachCommand({ ...common, inside: 'mine' }).slice(3)).toEqual([
      'zellij',
      'exom-1',
      '/s',
      'terminal_4',
    ])
    expect(attachCommand({ ...common, inside: undefined })).toEqual([
      '/usr/bin/env',
      'ZELLIJ_SOCKET_DIR=/s',
      'zellij',
      'attach',
      'exom-1',
    ])
  })
})

describe('what Zellij lists', () => {
  const entry = (id: number, tab: number, command: string | null, columns = 200) => ({
    ...{
      id,
      is_plugin: false,
      terminal_command: command,
      pane_content_columns: columns,
      pane_content_rows: 20,
      tab_id: tab,
      title: 'x',
    },
  })

  it('distinguishes views from panes of people, and says which is in front in its tab', () => {
    const shows = (pane: string) => marked(asPaneId(pane), ['tmux', 'x']).join(' ')
    const listed = [
      entry(3, 1, shows('%2'), 90),
      entry(0, 0, null),
      entry(2, 1, 'cat exomonad'),
      entry(5, 1, shows('p-0a1b'), 90),
      { ...entry(9, 1, null), is_plugin: true },
    ]
    expect(parseEntries(JSON.stringify(listed))).toEqual([
      { id: 'terminal_0', tabId: 0, shows: null, leads: false, hasRoom: true },
      { id: 'terminal_2', tabId: 1, shows: null, leads: false, hasRoom: true },
      { id: 'terminal_3', tabId: 1, shows: '%2', leads: true, hasRoom: false },
      { id: 'terminal_5', tabId: 1, shows: 'p-0a1b', leads: false, hasRoom: false },
    ])
  })

  it('is nothing where it is the answer to something else', () => {
    for (const said of ['', '[]', 'CLIENT_ID ZELLIJ_PANE_ID', '{}', '[{"id":1}]'])
      expect(parseEntries(said)).toBeUndefined()
  })
})

import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createDesktopTarget } from '../../../../src/adapters/notify/desktop.ts'
import { exec } from '../../../../src/processes/exec.ts'
import { tempFolder } from '../machine/temp-folder.ts'

const never = new AbortController().signal
const notice = {
  id: 'n',
  title: '--help',
  body: 'a <b>bold</b> & "quoted" $(question)\nend run',
  items: [],
  test: false,
}

/** A program of that name on PATH, which writes its arguments down, one in a line, quoted by `%s|`. */
function withProgram(name: string) {
  const folder = tempFolder()
  const received = join(folder, 'received')
  writeFileSync(join(folder, name), `#!/bin/sh\nprintf '%s|' "$@" > '${received}'\n`)
  chmodSync(join(folder, name), 0o755)
  return {
    deps: { exec, env: { PATH: `${folder}:/usr/bin:/bin` } },
    received: () => readFileSync(received, 'utf8').split('|').slice(0, -1),
  }
}

it('gives notify-send title and body as words: neither options nor markup', async () => {
  const { deps, received } = withProgram('notify-send')
  const target = createDesktopTarget({ ...deps, platform: 'linux' })
  expect(await target.send(notice, never)).toEqual({ ok: true, said: 'notify-send ran' })
  expect(received()).toEqual([
    '--app-name=exomonad',
    '--',
    '--help',
    'a &lt;b&gt;bold&lt;/b&gt; &amp; "quoted" $(question)\nend run',
  ])
})

it('gives osascript a script of its own, and the words as arguments', async () => {
  const { deps, received } = withProgram('osascript')
  const target = createDesktopTarget({ ...deps, platform: 'darwin' })
  expect(await target.send(notice, never)).toMatchObject({ ok: true })
  const given = received()
  expect(given.slice(-2)).toEqual([notice.body, '--help'])
  expect(given.slice(0, -2).join(' ')).not.toContain('bold')
})

it('says what to install where there is no notify-send, and does not try again', async () => {
  const target = createDesktopTarget({ exec, env: { PATH: '/nowhere' }, platform: 'linux' })
  expect(await target.send(notice, never)).toEqual({
    ok: false,
    again: false,
    reason: expect.stringMatching(/notify-send is not there.*libnotify/),
  })
})

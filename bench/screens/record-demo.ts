import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { demoPlace, keepDemo } from '../../test/helpers/demo.ts'
import { terminalPicture, type Frame } from './terminal-picture.ts'

/**
 * `npm run bench:recording`: writes docs/images/demo.svg, what `exomonad tree --watch` shows while
 * `exomonad demo` runs. Takes a minute.
 */
const COLUMNS = 100
/** What a frame shows is read in this time, in seconds; the last one stays longer. */
const [EACH, LAST, MOST] = [1.6, 6, 14]

const isDemo = (name: string): boolean => name.startsWith('exomonad-demo-')
/** Its folder is another each time; what stands behind it keeps its place. */
const withoutFolder = (text: string): string =>
  text.replace(/\/\S*\/repository/, (path) => '~/timetable'.padEnd(path.length))
const place = demoPlace()
const { NO_COLOR: _, ...env } = place.env
const shell = { ...env, FORCE_COLOR: '1', COLUMNS: String(COLUMNS), LANG: 'C.UTF-8' }
const demo = keepDemo({ ...place, env: shell }, 180_000)
const frames: string[] = []
try {
  let over = false
  const ended = demo.ended.finally(() => (over = true))
  while (!over) {
    await delay(250)
    if (!existsSync(place.folder) || !readdirSync(place.folder).some(isDemo)) continue
    const shown = await demo.exomonad('tree')
    const text = shown.code === 0 ? shown.stdout.trimEnd() : ''
    if (text.includes('worker') && withoutFolder(text) !== frames.at(-1))
      frames.push(withoutFolder(text))
  }
  const { code, stderr } = await ended
  if (code !== 0) throw new Error(`the demo failed: ${stderr}`)
} finally {
  await demo.down()
  place.remove()
}
const every = Math.max(1, Math.ceil(frames.length / MOST))
const chosen = frames.filter((_text, index) => index % every === 0 || index === frames.length - 1)
const shown: Frame[] = chosen.map((text, index) => ({
  text,
  seconds: index === chosen.length - 1 ? LAST : EACH,
}))
const target = join(import.meta.dirname, '..', '..', 'docs', 'images', 'demo.svg')
mkdirSync(dirname(target), { recursive: true })
const title =
  'exomonad tree --watch during the demo: agents are spawned, ask, wait, file and are merged'
writeFileSync(target, terminalPicture(title, 'exomonad tree --watch', COLUMNS, shown))
process.stderr.write(`${target} is written: ${chosen.length} of ${frames.length} frames\n`)

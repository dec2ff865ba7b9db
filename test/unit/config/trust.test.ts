import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readEnvironment } from '../../../src/config/environment.ts'
import {
  assertTrusted,
  checkTrust,
  recordTrust,
  rememberRan,
  type TrustSubject,
} from '../../../src/config/trust.ts'
import { trustFile } from '../../../src/config/user-state.ts'
import { pathsOf } from '../../../src/runtime/paths.ts'

interface Setting {
  readonly subject: TrustSubject
  readonly home: string
  track(...files: string[]): void
  write(file: string, text: string): void
}

function setting(): Setting {
  const folder = mkdtempSync(join(tmpdir(), 't-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const home = join(folder, 'repo')
  mkdirSync(join(home, '.exomonad', 'templates'), { recursive: true })
  let tracked: string[] = []
  return {
    subject: {
      paths: pathsOf(join(home, '.git'), home),
      environment: readEnvironment({ HOME: join(folder, 'home') }),
      trackedFiles: () => Promise.resolve(tracked),
    },
    home,
    track: (...files) => void (tracked = files),
    write: (file, text) => writeFileSync(join(home, file), text),
  }
}

const CONFIG = '.exomonad/config.toml'
const TEMPLATE = '.exomonad/templates/note.liquid'

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

describe('trust', () => {
  it('is not asked for what git does not track', async () => {
    const { subject, write } = setting()
    write(CONFIG, 'a')
    expect(await checkTrust(subject)).toEqual({ trusted: true })
  })

  it('is asked for tracked configuration and templates, and for nothing else', async () => {
    const { subject, write, track } = setting()
    write(CONFIG, 'a')
    write(TEMPLATE, 'b')
    write('.exomonad/notes.txt', 'c')
    track(CONFIG, TEMPLATE, '.exomonad/notes.txt')
    expect(await checkTrust(subject)).toEqual({ trusted: false, changed: [CONFIG, TEMPLATE] })
    await expect(assertTrusted(subject)).rejects.toMatchObject({
      code: 'UNTRUSTED_CONFIG',
      facts: { changed: [CONFIG, TEMPLATE] },
    })
  })

  it('holds until a file changes or comes in addition', async () => {
    const { subject, write, track } = setting()
    write(CONFIG, 'a')
    track(CONFIG)
    expect(await recordTrust(subject)).toEqual([CONFIG])
    expect(await checkTrust(subject)).toEqual({ trusted: true })
    write(CONFIG, 'a ')
    expect(await checkTrust(subject)).toEqual({ trusted: false, changed: [CONFIG] })
    write(CONFIG, 'a')
    write(TEMPLATE, 'b')
    track(CONFIG, TEMPLATE)
    expect(await checkTrust(subject)).toEqual({ trusted: false, changed: [TEMPLATE] })
    await recordTrust(subject)
    await assertTrusted(subject)
  })

  it('is kept when a file of one’s own is committed unchanged', async () => {
    const { subject, write, track } = setting()
    write(CONFIG, 'mine')
    await recordTrust(subject)
    track(CONFIG)
    expect(await checkTrust(subject)).toEqual({ trusted: true })
  })

  it('covers only the paths it is given, and keeps what was trusted before', async () => {
    const { subject, write, track } = setting()
    write(CONFIG, 'a')
    write(TEMPLATE, 'b')
    track(CONFIG, TEMPLATE)
    expect(await recordTrust(subject, [TEMPLATE])).toEqual([TEMPLATE])
    expect(await checkTrust(subject)).toEqual({ trusted: false, changed: [CONFIG] })
    await recordTrust(subject, [CONFIG])
    expect(await checkTrust(subject)).toEqual({ trusted: true })
  })

  it('is never given to symbolic links, whose target could change unseen', async () => {
    const { subject, home, track } = setting()
    writeFileSync(join(home, 'elsewhere'), 'x')
    symlinkSync('../elsewhere', join(home, CONFIG))
    track(CONFIG)
    await expect(recordTrust(subject)).rejects.toMatchObject({ code: 'OUTSIDE_ROOT' })
    expect(await checkTrust(subject)).toEqual({ trusted: false, changed: [CONFIG] })
  })

  it('is not given to a link in place of the templates folder', async () => {
    const { subject, home, write, track } = setting()
    write(CONFIG, 'a')
    rmSync(join(home, '.exomonad', 'templates'), { recursive: true })
    symlinkSync('../other', join(home, '.exomonad', 'templates'))
    track('.exomonad/templates')
    expect(await checkTrust(subject)).toEqual({ trusted: false, changed: ['.exomonad/templates'] })
  })

  it('does not ask git where all that is there was trusted, and does as soon as something else is', async () => {
    const { subject, home, write, track } = setting()
    let asked = 0
    const watched: TrustSubject = {
      ...subject,
      trackedFiles: () => ((asked += 1), subject.trackedFiles()),
    }
    write(CONFIG, 'a')
    write(TEMPLATE, 'b')
    track(CONFIG, TEMPLATE)
    await recordTrust(subject)
    expect([await checkTrust(watched), asked]).toEqual([{ trusted: true }, 0])
    write('.exomonad/templates/own.liquid', 'mine')
    expect([await checkTrust(watched), asked]).toEqual([{ trusted: true }, 1])
    rmSync(join(home, '.exomonad/templates/own.liquid'))
    write(TEMPLATE, 'c')
    expect([await checkTrust(watched), asked]).toEqual([{ trusted: false, changed: [TEMPLATE] }, 2])
    write(TEMPLATE, 'b')
    // The same files behind a link, or in a repository of their own, are not what was trusted.
    const moved = join(home, 'moved')
    renameSync(join(home, '.exomonad', 'templates'), moved)
    symlinkSync(moved, join(home, '.exomonad', 'templates'))
    track(CONFIG, '.exomonad/templates')
    expect(await checkTrust(watched)).toEqual({ trusted: false, changed: ['.exomonad/templates'] })
    rmSync(join(home, '.exomonad', 'templates'))
    renameSync(moved, join(home, '.exomonad', 'templates'))
    write('.exomonad/.git', 'gitdir: ../.git/modules/x')
    track('.exomonad')
    expect(await checkTrust(watched)).toEqual({ trusted: false, changed: ['.exomonad'] })
  })

  it('does not survive a record that is damaged, and keeps the record from others’ eyes', async () => {
    const { subject, write, track } = setting()
    write(CONFIG, 'a')
    track(CONFIG)
    await recordTrust(subject)
    const file = trustFile(subject.environment, subject.paths.commonDir)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    writeFileSync(file, '{ not json')
    expect(await checkTrust(subject)).toMatchObject({ trusted: false })
  })

  it('says in words what it waits for, and names three files at most', async () => {
    const { subject, write, track } = setting()
    const refusal = async (...files: string[]) => {
      for (const file of files) write(file, 'x')
      track(...files)
      return assertTrusted(subject).then(
        () => 'trusted',
        (error: Error) => error.message,
      )
    }
    const templates = ['a', 'b', 'c'].map((name) => `.exomonad/templates/${name}.liquid`)
    expect(await refusal(CONFIG)).toBe(
      `Nothing was run: ${CONFIG} came with the repository and has not been trusted as it is now. Read it, then run \`exomonad trust\`.`,
    )
    expect(await refusal(CONFIG, ...templates.slice(0, 2))).toBe(
      `Nothing was run: ${CONFIG}, ${templates[0]}, ${templates[1]} came with the repository and have not been trusted as they are now. Read them, then run \`exomonad trust\`.`,
    )
    expect(await refusal(...templates.toReversed(), CONFIG)).toContain(
      `Nothing was run: ${CONFIG}, ${templates[0]}, ${templates[1]} and 1 more came with`,
    )
    expect(await checkTrust(subject)).toEqual({ trusted: false, changed: [CONFIG, ...templates] })
    expect(await recordTrust(subject)).toEqual([CONFIG, ...templates])
    expect(await refusal(CONFIG, ...templates)).toBe('trusted')
  })

  it('is recorded of what is there, tracked or not, in folders too, and of nothing where there is nothing', async () => {
    const { subject, home, write, track } = setting()
    expect(await recordTrust(subject)).toEqual([])
    rmSync(join(home, '.exomonad', 'templates'), { recursive: true })
    expect(await recordTrust(subject)).toEqual([])
    mkdirSync(join(home, '.exomonad', 'templates', 'prompts'), { recursive: true })
    write('.exomonad/templates/prompts/lead.liquid', 'x')
    expect(await recordTrust(subject)).toEqual(['.exomonad/templates/prompts/lead.liquid'])
    track('.exomonad/templates/prompts/lead.liquid', CONFIG)
    // Tracked and not there: nothing is used of it.
    expect(await checkTrust(subject)).toEqual({ trusted: true })
    write(CONFIG, 'a')
    expect(await checkTrust(subject)).toEqual({ trusted: false, changed: [CONFIG] })
    // Recorded as a whole, what is gone by then is not trusted any more, should it come back.
    rmSync(join(home, '.exomonad', 'templates', 'prompts', 'lead.liquid'))
    expect(await recordTrust(subject)).toEqual([CONFIG])
    write('.exomonad/templates/prompts/lead.liquid', 'x')
    expect(await checkTrust(subject)).toEqual({
      trusted: false,
      changed: ['.exomonad/templates/prompts/lead.liquid'],
    })
  })

  /** Every way by which content became known, and every place where it lies afterwards. */
  const MOVED = '.exomonad/templates/moved.liquid'
  const ways: Record<string, (subject: TrustSubject) => Promise<unknown>> = {
    trusted: (subject) => recordTrust(subject),
    'run untracked': (subject) => rememberRan(subject),
    'trusted, and run': async (subject) => {
      await recordTrust(subject)
      await assertTrusted(subject)
    },
  }
  it.each(
    Object.keys(ways).flatMap((way) =>
      [CONFIG, TEMPLATE].flatMap((from) =>
        [CONFIG, TEMPLATE, MOVED].map((to) => ({
          way,
          from,
          to,
          trusted: (from === CONFIG) === (to === CONFIG),
        })),
      ),
    ),
  )(
    'of what was $way as $from, where it lies as $to now: $trusted',
    async ({ way, from, to, trusted }) => {
      const { subject, home, write, track } = setting()
      write(from, 'content')
      await ways[way]!(subject)
      rmSync(join(home, from))
      write(to, 'content')
      track(to)
      expect(await checkTrust(subject)).toMatchObject({ trusted })
      // What is trusted in its place later takes nothing from what has run.
      if (!trusted || way === 'trusted') return
      write(to, 'other')
      await recordTrust(subject)
      expect(await checkTrust(subject)).toEqual({ trusted: true })
      write(to, 'content')
      expect(await checkTrust(subject)).toEqual({ trusted: true })
      write(to, 'more content')
      expect(await checkTrust(subject)).toEqual({ trusted: false, changed: [to] })
    },
  )

  it('is not given to a link in place of all of it', async () => {
    const { subject, home, track } = setting()
    rmSync(join(home, '.exomonad'), { recursive: true })
    symlinkSync('../other', join(home, '.exomonad'))
    track('.exomonad')
    expect(await checkTrust(subject)).toEqual({ trusted: false, changed: ['.exomonad'] })
  })

  it('is kept in a record that another version of exomonad can read', async () => {
    const { subject, write, track } = setting()
    const file = trustFile(subject.environment, subject.paths.commonDir)
    const record = () => JSON.parse(readFileSync(file, 'utf8')) as { files: object }
    await rememberRan(subject)
    expect(existsSync(file)).toBe(false)
    const [a, b] = [digest('a'), digest('b')]
    write(CONFIG, 'a')
    write(TEMPLATE, 'b')
    await rememberRan(subject)
    expect(record()).toEqual({
      version: 1,
      files: {},
      ran: [`configuration ${a}`, `template ${b}`],
    })
    track(TEMPLATE, CONFIG)
    await recordTrust(subject)
    expect(record()).toEqual({
      version: 1,
      files: { [CONFIG]: a, [TEMPLATE]: b },
      ran: [`configuration ${a}`, `template ${b}`],
    })
    expect(Object.keys(record().files)).toEqual([CONFIG, TEMPLATE])
    // What an older one wrote, or a newer one, that had no use for the one or the other.
    for (const [text, trusted] of [
      [{ version: 1 }, false],
      [{ version: 1, ran: [`configuration ${a}`, `template ${b}`] }, true],
      [{ version: 1, files: { [CONFIG]: a, [TEMPLATE]: b } }, true],
    ] as const) {
      writeFileSync(file, JSON.stringify(text))
      expect([text, await checkTrust(subject)]).toMatchObject([text, { trusted }])
    }
  })

  it('remembers the last two hundred versions that ran here, however often each of them did', async () => {
    const { subject, write, track } = setting()
    for (let version = 0; version <= 200; version++) {
      write(CONFIG, String(version))
      for (let times = 0; times < 2; times++) await rememberRan(subject)
    }
    track(CONFIG)
    for (const [version, trusted] of [
      [0, false],
      [1, true],
      [200, true],
    ] as const) {
      write(CONFIG, String(version))
      expect([version, await checkTrust(subject)]).toMatchObject([version, { trusted }])
    }
  })

  it('names the link that it refuses, the first of several', async () => {
    const { subject, home, track } = setting()
    symlinkSync('../elsewhere', join(home, CONFIG))
    symlinkSync('../elsewhere', join(home, TEMPLATE))
    track(TEMPLATE, CONFIG)
    await expect(recordTrust(subject)).rejects.toMatchObject({
      message: `${CONFIG} is a symbolic link, which can’t be trusted: put the file itself there.`,
      facts: { path: CONFIG },
    })
  })
})

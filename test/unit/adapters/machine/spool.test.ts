import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  readConfinedSpool,
  readSpool,
  type SpooledHook,
} from '../../../../src/adapters/machine/spool.ts'
import { ExomonadError } from '../../../../src/domain/errors.ts'
import { silentLog } from '../../../../src/runtime/log.ts'
import { HOOK_EVENTS } from '../../../../src/surfaces/http/hooks.ts'
import { tempFolder } from './temp-folder.ts'

const hook = (fields: object = {}): string =>
  JSON.stringify({ version: 1, event: 'prompt', token: 't', body: { prompt: 'hi' }, ...fields })

function spool(files: Record<string, string>): string {
  const folder = tempFolder()
  let second = 1000
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), content)
    utimesSync(join(folder, name), second, second)
    second += 1
  }
  return folder
}

async function read(
  folder: string,
  handle: (hook: SpooledHook) => Promise<void> = async () => {},
): Promise<{ seen: SpooledHook[]; count: unknown }> {
  const seen: SpooledHook[] = []
  const count = await readSpool(
    folder,
    async (entry) => {
      await handle(entry)
      seen.push(entry)
    },
    silentLog(),
  )
  return { seen, count }
}

describe('readSpool', () => {
  it('hands over each file once, oldest first, and deletes it', async () => {
    const folder = spool({ z: hook(), a: hook({ event: 'stop', body: {} }) })
    expect((await read(folder)).seen).toEqual([
      { event: 'prompt', token: 't', at: 1_000_000, body: { prompt: 'hi' } },
      { event: 'stop', token: 't', at: 1_001_000, body: {} },
    ])
    expect(readdirSync(folder)).toEqual([])
    expect((await read(folder)).seen).toEqual([])
  })

  it.each(HOOK_EVENTS)('knows the event %s', async (event) => {
    expect((await read(spool({ file: hook({ event }) }))).count).toMatchObject({ handled: 1 })
  })

  it('moves aside what it cannot read, and goes on', async () => {
    const deep = hook().replace('"hi"', '['.repeat(5000) + ']'.repeat(5000))
    const folder = spool({
      a: '{"version":1,"event"',
      b: hook({ event: 'party' }),
      c: hook({ version: 2 }),
      d: hook({ body: 'text' }),
      e: '',
      f: hook(),
      g: deep,
    })
    expect((await read(folder)).count).toEqual({ handled: 1, broken: 6, left: 0 })
    expect(readdirSync(join(folder, 'broken'))).toEqual(['a', 'b', 'c', 'd', 'e', 'g'])
    expect(readdirSync(folder)).toEqual(['broken'])
  })

  it('does not touch what is still being written, nor folders', async () => {
    const folder = spool({ '.half': hook() })
    mkdirSync(join(folder, 'folder'))
    expect((await read(folder)).count).toEqual({ handled: 0, broken: 0, left: 0 })
    expect(existsSync(join(folder, '.half'))).toBe(true)
  })

  it('keeps what is refused for now, and moves aside what is refused for good', async () => {
    const refuse = (code: 'STORE_BUSY' | 'NOT_ALLOWED') => async () =>
      Promise.reject(new ExomonadError(code, code))
    const folder = spool({ a: hook() })
    expect((await read(folder, refuse('STORE_BUSY'))).count).toEqual({
      handled: 0,
      broken: 0,
      left: 1,
    })
    expect((await read(folder, refuse('NOT_ALLOWED'))).count).toEqual({
      handled: 0,
      broken: 1,
      left: 0,
    })
    expect(existsSync(join(folder, 'broken', 'a'))).toBe(true)
  })

  it('takes a missing folder for an empty one', async () => {
    expect((await read(join(tempFolder(), 'nothing'))).count).toEqual({
      handled: 0,
      broken: 0,
      left: 0,
    })
  })
})

describe('readConfinedSpool', () => {
  const hear = async (
    folder: string,
    handle: (hook: SpooledHook) => Promise<void> = async () => {},
  ): Promise<SpooledHook[]> => {
    const seen: SpooledHook[] = []
    await readConfinedSpool(
      folder,
      async (entry) => {
        await handle(entry)
        seen.push(entry)
      },
      silentLog(),
    )
    return seen
  }

  it('hands over each file once, oldest first, and deletes it', async () => {
    // Of one second, and of processes whose numbers have more digits by then.
    const folder = spool({
      '17-9-prompt': hook(),
      '17-10-stop': hook({ event: 'stop' }),
      '.c': hook(),
    })
    expect((await hear(folder)).map(({ event }) => event)).toEqual(['prompt', 'stop'])
    expect(readdirSync(folder)).toEqual(['.c'])
    expect(await hear(join(folder, 'absent'))).toEqual([])
  })

  it('keeps what can’t be handled for now', async () => {
    const folder = spool({ a: hook() })
    const later = async (): Promise<void> => {
      throw new ExomonadError('FORGE_UNAVAILABLE', 'Not now.')
    }
    expect(await hear(folder, later)).toEqual([])
    expect(readdirSync(folder)).toEqual(['a'])
  })

  it('follows nothing that the agent has put there, and writes nowhere', async () => {
    const outside = tempFolder()
    writeFileSync(join(outside, 'precious'), hook())
    const folder = spool({ a: 'no hook', b: hook() })
    symlinkSync(outside, join(folder, 'broken'))
    symlinkSync(join(outside, 'precious'), join(folder, 'c'))
    execFileSync('mkfifo', [join(folder, 'd')])
    expect(await hear(folder)).toHaveLength(1)
    expect(readdirSync(folder)).toEqual([])
    expect(readdirSync(outside)).toEqual(['precious'])
    expect(readFileSync(join(outside, 'precious'), 'utf8')).toBe(hook())

    symlinkSync(outside, join(folder, 'spool'))
    expect(await hear(join(folder, 'spool'))).toEqual([])
    expect(readdirSync(outside)).toEqual(['precious'])
  })
})

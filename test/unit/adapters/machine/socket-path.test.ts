import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseSocketPath } from '../../../../src/adapters/machine/socket-path.ts'
import { ExomonadError } from '../../../../src/domain/errors.ts'
import { prepareSocketFile } from '../../../../src/surfaces/http/socket-file.ts'
import { tempFolder } from './temp-folder.ts'

describe('chooseSocketPath', () => {
  it('prefers the state folder', () => {
    expect(
      chooseSocketPath({ state: '/r/.git/exomonad', runtimeDir: '/run/user/1', hash: 'abc' }),
    ).toBe('/r/.git/exomonad/daemon.sock')
  })

  it('counts bytes, not letters', () => {
    const state = `/r/${'ü'.repeat(45)}/x`
    expect(state.length).toBeLessThan(60)
    expect(chooseSocketPath({ state, runtimeDir: '/run', hash: 'abc' })).toBe(
      '/run/exomonad-abc/daemon.sock',
    )
  })

  it('says so where neither is short enough', () => {
    const long = `/${'x'.repeat(120)}`
    expect(() => chooseSocketPath({ state: long, runtimeDir: long, hash: 'abc' })).toThrow(
      expect.objectContaining({
        code: 'SOCKET_PATH_TOO_LONG',
        message: expect.stringContaining('XDG_RUNTIME_DIR') as string,
      }) as Error,
    )
  })

  it('never returns a path that the system would cut', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 140 }),
        fc.string({ maxLength: 140 }),
        (state, runtime) => {
          try {
            expect(
              Buffer.byteLength(
                chooseSocketPath({
                  state: `/${state}`,
                  runtimeDir: `/${runtime}`,
                  hash: '0123456789',
                }),
              ),
            ).toBeLessThanOrEqual(103)
          } catch (error) {
            expect((error as ExomonadError).code).toBe('SOCKET_PATH_TOO_LONG')
          }
        },
      ),
    )
  })
})

describe('prepareSocketFile', () => {
  it('makes the folder private, also one that was open', () => {
    const folder = tempFolder()
    prepareSocketFile(join(folder, 'new', 'daemon.sock'))
    expect(statSync(join(folder, 'new')).mode & 0o777).toBe(0o700)
    mkdirSync(join(folder, 'open'))
    chmodSync(join(folder, 'open'), 0o755)
    prepareSocketFile(join(folder, 'open', 'daemon.sock'))
    expect(statSync(join(folder, 'open')).mode & 0o777).toBe(0o700)
  })

  it('refuses a folder that is a symbolic link, a file, or cannot be made', () => {
    const folder = tempFolder()
    mkdirSync(join(folder, 'elsewhere'))
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'link'))
    writeFileSync(join(folder, 'file'), '')
    expect(() => prepareSocketFile(join(folder, 'link', 'daemon.sock'))).toThrow(
      'it is a symbolic link',
    )
    expect(() => prepareSocketFile(join(folder, 'file', 'daemon.sock'))).toThrow(ExomonadError)
    expect(() => prepareSocketFile(join(folder, 'file', 'below', 'daemon.sock'))).toThrow(
      ExomonadError,
    )
  })

  it('leaves a file of another kind alone', () => {
    const folder = tempFolder()
    writeFileSync(join(folder, 'daemon.sock'), 'mine')
    expect(() => prepareSocketFile(join(folder, 'daemon.sock'))).toThrow('in the way')
  })
})

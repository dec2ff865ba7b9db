import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { asCommandError } from '../../../../src/surfaces/cli/file-fault.ts'

const top = mkdtempSync(join(tmpdir(), 't-fault-'))
afterAll(() => rmSync(top, { recursive: true, force: true }))
const thrownBy = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('a file that the machine refuses to a command', () => {
  it('is named, with why and what to do, and is no fault of exomonad', async () => {
    const path = join(top, 'nowhere', 'tree.tar.gz')
    expect(asCommandError(await thrownBy(open(`${path}.part-17`, 'w')), '/home/ada')).toMatchObject(
      {
        code: 'NOT_AVAILABLE',
        message: `${path} can’t be used: there is no such file, or no folder to hold it. Name another place, or put that right, then try again.`,
      },
    )
  })

  it('says why a folder can’t be made, where the system says only that one above it is not there', async () => {
    const path = join(top, 'read-only', 'below')
    const error = Object.assign(new Error('no'), { code: 'ENOENT', path, syscall: 'mkdir' })
    const checked: string[] = []
    const readOnly = (folder: string): never => {
      checked.push(folder)
      throw Object.assign(new Error('read-only'), { code: 'EROFS' })
    }
    expect(asCommandError(error, '/home/ada', readOnly).message).toContain(
      `${path} can’t be used: the file system is read-only.`,
    )
    expect(checked).toEqual([top])
    expect(asCommandError(error, '/home/ada').message).toContain('there is no such file')
  })

  it('says of one in your home that HOME leads there', async () => {
    const { message } = asCommandError(await thrownBy(open(top, 'w')), top)
    expect(message).toContain('it is a folder')
    expect(message).toContain(`your home (${top})`)
  })

  it('is told from what is one', async () => {
    const started = new Promise((_, fail) =>
      execFile(join(top, 'no-program'), (error) => fail(error ?? new Error('it ran'))),
    )
    expect(asCommandError(await thrownBy(started), '/').code).toBe('INTERNAL')
    expect(asCommandError(new TypeError('x is not a function'), '/').code).toBe('INTERNAL')
    const full = Object.assign(new Error('full'), { code: 'ENOSPC', path: '/x', syscall: 'write' })
    expect(asCommandError(full, '/').code).toBe('DISK_FULL')
  })
})

import * as fs from 'node:fs/promises'
import { expect, it, vi } from 'vitest'
import { readRepositoryFile } from '../../../src/config/repository-file.ts'

vi.mock('node:fs/promises', { spy: true })

const failing = (code: string) =>
  vi.mocked(fs.readFile).mockRejectedValueOnce(Object.assign(new Error(code), { code }))

it('a set-up that may not be read is another user’s; one that is not there is none', async () => {
  failing('EACCES')
  await expect(readRepositoryFile('/r/.git/exomonad/repository.json')).rejects.toMatchObject({
    code: 'NOT_ALLOWED',
    message: expect.stringMatching(
      /another user, .* \/r\/\.git\/exomonad: .*Run this as that user/,
    ),
  })
  failing('ENOENT')
  expect(await readRepositoryFile('/r/.git/exomonad/repository.json')).toBeNull()
  failing('EIO')
  await expect(readRepositoryFile('/r/.git/exomonad/repository.json')).rejects.toThrow('EIO')
})

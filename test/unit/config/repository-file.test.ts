import { expect, it } from 'vitest'
import { readRepositoryFile } from '../../../src/config/repository-file.ts'

const FILE = '/r/.git/exomonad/repository.json'
const failing = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }))

it('a set-up that may not be read is another user’s; one that is not there is none', async () => {
  await expect(readRepositoryFile(FILE, failing('EACCES'))).rejects.toMatchObject({
    code: 'NOT_ALLOWED',
    message: expect.stringMatching(
      /another user, .* \/r\/\.git\/exomonad: .*Run this as that user/,
    ),
  })
  expect(await readRepositoryFile(FILE, failing('ENOENT'))).toBeNull()
  await expect(readRepositoryFile(FILE, failing('EIO'))).rejects.toThrow('EIO')
})

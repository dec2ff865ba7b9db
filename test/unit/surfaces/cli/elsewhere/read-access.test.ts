import { expect, it } from 'vitest'
import {
  compareVersions,
  readAccess,
} from '../../../../../src/surfaces/cli/elsewhere/read-access.ts'
import { parseTarget } from '../../../../../src/surfaces/cli/elsewhere/target.ts'

const target = parseTarget('ada@far:/srv/app')
const ran = (exitCode: number | null, stdout = '', stderr = '') => ({
  exitCode,
  stdout,
  stderr,
  signal: null,
  timedOut: false,
  startError: null,
})
const ACCESS = '{"exomonad_access":1,"socket":"/s","token":"t"}'

it('finds the answer among what else is printed there', () => {
  const found = { socket: '/s', token: 't' }
  expect(readAccess(target, ran(0, `${ACCESS}\n`))).toMatchObject(found)
  expect(readAccess(target, ran(0, `{"x": 1}\nhello\n${ACCESS}\n{bye`))).toMatchObject(found)
})

it.each([
  [ran(1, '{"error":"It is not here.","code":"NOT_INITIALIZED"}\n'), 'NOT_INITIALIZED', 'On ada@'],
  [ran(113), 'NOT_A_REPOSITORY', 'no folder /srv/app on ada@far'],
  [ran(127), 'NOT_AVAILABLE', 'not on the PATH that you have on ada@far'],
  [
    ran(2, `{"error":"unknown command '__access'","code":"INVALID_ARG"}\n`),
    'NOT_AVAILABLE',
    'older than --host',
  ],
  [ran(2, '', 'unknown'), 'NOT_AVAILABLE', 'older than --host'],
  [ran(139, '', 'Segmentation fault'), 'NOT_AVAILABLE', 'It said:\nSegmentation fault'],
])('says what was wrong there: %j', (result, code, words) => {
  expect(() => readAccess(target, result)).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(words) }),
  )
})

it.each([
  ['0.1.0', '0.1.0', null],
  ['0.1.0', '0.1.3', 'runs exomonad 0.1.3, and this is 0.1.0: what is newer'],
  ['1.2.0', '1.9.1', 'runs exomonad 1.9.1, and this is 1.2.0: what is newer'],
])('%s here understands %s there', (here, there, words) => {
  const said = compareVersions(target, here, there)
  if (words === null) expect(said).toBeNull()
  else expect(said).toContain(words)
})

it.each([
  ['0.1.0', '0.2.0'],
  ['1.0.0', '0.1.0'],
  ['1.0.0', '2.0.0'],
])('%s here may not understand %s there', (here, there) => {
  expect(() => compareVersions(target, here, there)).toThrow(/Install the same on both/)
})

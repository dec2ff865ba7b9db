import { expect, it } from 'vitest'
import { whereItRuns } from '../../../../../src/surfaces/cli/elsewhere/run-there.ts'

it.each([
  ['there', 'init'],
  ['there', '-C sub --json doctor --fix'],
  ['there', 'daemon logs --follow'],
  ['there', 'run --wait npm help'],
  ['there', 'run -- make --help'],
  ['here', 'tree --watch'],
  ['here', '--as init tree'],
  ['here', 'console'],
  ['here', 'spawn workers init=x'],
  ['here', 'init --help'],
  ['here', 'help init'],
  ['here', '--json help init'],
  ['here', 'help'],
  ['here', ''],
  ['here', 'nothing-of-ours'],
  ['never', 'hook stop'],
  ['never', '__access'],
])('%s: exomonad %s', (where, line) => {
  expect(whereItRuns(line.split(' ').filter((word) => word !== ''))).toBe(where)
})

import { hasTool } from '../helpers/require-tool.ts'
import { describe } from 'vitest'
import { describeOnly } from './multiplexer.ts'

if (hasTool('tmux')) describeOnly('tmux')
else describe.skip('the multiplexer tmux (skipped: tmux not found)', () => undefined)

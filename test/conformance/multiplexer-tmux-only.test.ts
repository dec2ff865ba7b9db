import { hasTool } from '../helpers/terminals/require-tool.ts'
import { describe } from 'vitest'
import { describeOnly } from './multiplexer.ts'

if (hasTool('tmux')) describeOnly('tmux')
else describe.skip('the multiplexer tmux (skipped: tmux not found)', () => undefined)

import { hasTool } from '../helpers/terminals/require-tool.ts'
import { describe } from 'vitest'
import { describeMultiplexer } from './multiplexer.ts'

if (hasTool('tmux')) describeMultiplexer('tmux')
else describe.skip('the multiplexer tmux (skipped: tmux not found)', () => undefined)

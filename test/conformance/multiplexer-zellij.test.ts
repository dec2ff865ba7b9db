import { describe } from 'vitest'
import { whyNoZellij } from '../helpers/zellij.ts'
import { verifies } from '../requirements.ts'
import { describeMultiplexer } from './multiplexer.ts'

const reason = whyNoZellij()
if (reason === null) describe(verifies('R004-21', 'all that is asked of tmux'), () => describeMultiplexer('zellij'))
else describe.skip(`the multiplexer zellij (skipped: ${reason})`, () => undefined)

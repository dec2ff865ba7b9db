import { describe } from 'vitest'
import { whyNoZellij } from '../helpers/zellij.ts'
import { verifies } from '../requirements.ts'
import { describeZellijAttached } from './multiplexer.ts'

const reason = whyNoZellij()
if (reason === null) describe(verifies('R004-21', 'all that is asked of tmux, with a person attached'), () => describeZellijAttached())
else describe.skip(`the multiplexer zellij, with a person attached (skipped: ${reason})`, () => undefined)

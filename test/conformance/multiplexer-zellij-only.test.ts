import { describe } from 'vitest'
import { whyNoZellij } from '../helpers/zellij.ts'
import { verifies } from '../requirements.ts'
import { describeOnly } from './multiplexer.ts'

const reason = whyNoZellij()
if (reason === null) describe(verifies('R004-21', 'what Zellij alone does'), () => describeOnly('zellij'))
else describe.skip(`the multiplexer zellij (skipped: ${reason})`, () => undefined)

import { describe } from 'vitest'
import { whyNoZellij } from '../helpers/zellij.ts'
import { describeMultiplexer } from './multiplexer.ts'

const reason = whyNoZellij()
if (reason === null) describeMultiplexer('zellij')
else describe.skip(`the multiplexer zellij (skipped: ${reason})`, () => undefined)

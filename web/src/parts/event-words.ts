import './no-eval.ts'

export { describeEvent, isMinor } from '../../../src/surfaces/text/log/event-words.ts'

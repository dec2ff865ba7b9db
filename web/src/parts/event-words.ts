import './no-eval.ts'

export { describeEvent, isMinor } from '../../../src/surfaces/text/event-words.ts'

import { describeOnly } from './multiplexer.ts'

describeOnly('runner')

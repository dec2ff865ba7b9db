import { describeOnly } from './multiplexer.ts'

describeOnly('headless')

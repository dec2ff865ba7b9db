import { describeRuntime } from './runtime.ts'

describeRuntime('process')

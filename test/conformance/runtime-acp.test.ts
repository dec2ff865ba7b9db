import { describeRuntime } from './runtime.ts'

describeRuntime('acp')

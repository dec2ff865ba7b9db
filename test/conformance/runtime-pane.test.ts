import { describeRuntime } from './runtime.ts'

describeRuntime('pane')

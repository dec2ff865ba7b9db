import { describeMultiplexer } from './multiplexer.ts'

describeMultiplexer('runner')

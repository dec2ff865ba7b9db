import { describeMultiplexer } from './multiplexer.ts'

describeMultiplexer('headless')

export { printable, printableLine } from '../../../packages/subagents/src/terminal/printable.ts'

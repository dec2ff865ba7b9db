export {
  cut,
  displayWidth,
  graphemesOf,
  graphemeWidth,
  isNarrow,
  pad,
} from '../../../packages/subagents/src/terminal/width.ts'

export {
  createPalette,
  type Colour,
  type Palette,
} from '../../../packages/subagents/src/terminal/palette.ts'

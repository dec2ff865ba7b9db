import type { LiveScreen } from '../../../packages/subagents/src/terminal/live-screen.ts'
import type { OutputStream } from './terminal.ts'

/**
 * Draws the next frame every so many milliseconds, and again after a change of the terminal’s size,
 * until it is stopped.
 */
export function keepDrawing(
  { stream, screen, every }: { stream: OutputStream; screen: LiveScreen; every: number },
  draw: () => void,
  advance: () => void,
): () => void {
  const onResize = (): void => {
    screen.reset()
    draw()
  }
  const timer = setInterval(() => {
    advance()
    draw()
  }, every)
  stream.on?.('resize', onResize)
  return () => {
    clearInterval(timer)
    stream.off?.('resize', onResize)
  }
}

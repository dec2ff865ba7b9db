import { FitAddon } from '@xterm/addon-fit'
import { WebglAddon } from '@xterm/addon-webgl'
import { Terminal, type ILink, type ITheme } from '@xterm/xterm'
import '@xterm/xterm/css/xterm.css'

/** Loaded when a terminal is shown, and not before (screen-loader.ts). */

interface Grid {
  readonly columns: number
  readonly rows: number
}

export interface Screen {
  readonly terminal: Terminal
  /** Columns and rows of text of the usual size that fit into the box; undefined while it has none. */
  grid(): Grid | undefined
  /**
   * Makes the letters as large as the box takes for this many columns and rows, or for the part of
   * them that alone is seen then.
   */
  show(
    size: Grid & { readonly part: (Grid & { readonly left: number; readonly top: number }) | null },
  ): void
  /** Letters of the usual size, and as many columns and rows as fit. */
  fill(): void
  /** What would be clicked is a link. */
  readonly isOverLink: boolean
  dispose(): void
}

const USUAL = 13
/** Smaller than this nobody reads: what is wider is scrolled to. */
const SMALLEST = 9
const LARGEST = 18
const URL_PATTERN = /https?:\/\/[^\s"'<>`\u0000-\u001f]+[^\s"'<>`.,;:!?)\]}\u0000-\u001f]/g

/** `link`: a person clicked on one, which is http or https. */
export function createScreen(
  box: HTMLElement,
  options: {
    readonly scrollback: number
    readonly screenReader: boolean
    readonly link: (url: string) => void
  },
): Screen {
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches
  const activate = (_event: MouseEvent, text: string) => {
    if (isWebLink(text)) options.link(text)
  }
  let isOverLink = false
  const hover = () => (isOverLink = true)
  const leave = () => (isOverLink = false)
  const terminal = new Terminal({
    // Marks of what was searched for.
    allowProposedApi: true,
    cursorBlink: !still,
    cursorInactiveStyle: 'outline',
    fontFamily: getComputedStyle(box).getPropertyValue('--mono') || 'monospace',
    fontSize: USUAL,
    scrollback: options.scrollback,
    screenReaderMode: options.screenReader,
    minimumContrastRatio: 4.5,
    macOptionIsMeta: true,
    theme: THEME,
    // Only http and https by themselves; what they are is shown before they are followed.
    linkHandler: { activate, hover, leave },
  })
  const fit = new FitAddon()
  terminal.loadAddon(fit)
  terminal.open(box)
  drawWithWebgl(terminal)
  terminal.registerLinkProvider({
    provideLinks: (row, found) => {
      const line = terminal.buffer.active.getLine(row - 1)?.translateToString(true) ?? ''
      const links = [...line.matchAll(URL_PATTERN)].map(({ index, 0: text }): ILink => ({
        text,
        range: { start: { x: index + 1, y: row }, end: { x: index + text.length, y: row } },
        activate,
      }))
      found(links.length === 0 ? undefined : links)
    },
  })

  const grid: Screen['grid'] = () => {
    const found = fit.proposeDimensions()
    if (found === undefined || !(found.cols > 0) || !(found.rows > 0)) return undefined
    return { columns: Math.min(1000, found.cols), rows: Math.min(500, found.rows) }
  }
  return {
    terminal,
    grid,
    show: ({ columns, rows, part }) => {
      terminal.resize(columns, rows)
      const seen = part ?? { left: 0, top: 0, columns, rows }
      const cell = cellOf(box, terminal)
      if (cell === undefined || box.clientWidth === 0) return
      const now = terminal.options.fontSize ?? USUAL
      const scale = Math.min(
        box.clientWidth / (cell.width * seen.columns),
        box.clientHeight / (cell.height * seen.rows),
      )
      const size = Math.floor(now * scale * 2) / 2
      const wanted = Math.min(LARGEST, Math.max(SMALLEST, size))
      if (wanted !== now) terminal.options.fontSize = wanted
      requestAnimationFrame(() => crop(box, terminal, part))
    },
    fill: () => {
      crop(box, terminal, null)
      if (terminal.options.fontSize !== USUAL) terminal.options.fontSize = USUAL
      const size = grid()
      if (size !== undefined) terminal.resize(size.columns, size.rows)
    },
    get isOverLink() {
      return isOverLink
    },
    dispose: () => terminal.dispose(),
  }
}

/** How large a letter is, in pixels. */
function cellOf(
  box: HTMLElement,
  terminal: Terminal,
): { width: number; height: number } | undefined {
  const screen = box.querySelector('.xterm-screen')
  if (screen === null || screen.clientWidth === 0) return undefined
  return {
    width: screen.clientWidth / terminal.cols,
    height: screen.clientHeight / terminal.rows,
  }
}

/** Only this part of the screen is seen, at the place of the whole. */
function crop(
  box: HTMLElement,
  terminal: Terminal,
  part: (Grid & { readonly left: number; readonly top: number }) | null,
): void {
  const element = box.querySelector<HTMLElement>('.xterm')
  const cell = part === null ? undefined : cellOf(box, terminal)
  if (element === null) return
  if (part === null || cell === undefined) {
    element.style.transform = ''
    element.style.clipPath = ''
    return
  }
  const [left, top] = [part.left * cell.width, part.top * cell.height]
  const right = left + part.columns * cell.width
  const bottom = top + part.rows * cell.height
  element.style.transform = `translate(${String(-left)}px, ${String(-top)}px)`
  element.style.clipPath = `polygon(${[
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ]
    .map(([x, y]) => `${String(x)}px ${String(y)}px`)
    .join(', ')})`
}

export function isWebLink(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:')
}

/** Where there is none, or it is lost, the screen is made of elements. */
function drawWithWebgl(terminal: Terminal): void {
  if (!hasGpu()) return
  try {
    const webgl = new WebglAddon()
    webgl.onContextLoss(() => webgl.dispose())
    terminal.loadAddon(webgl)
  } catch {
    // Drawn without.
  }
}

/** Graphics cards that are none: the processor draws for them. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i

/** Where the processor would draw for it, elements are on the screen sooner. */
function hasGpu(): boolean {
  const context = document
    .createElement('canvas')
    .getContext('webgl2', { failIfMajorPerformanceCaveat: true })
  if (context === null) return false
  const names = context.getExtension('WEBGL_debug_renderer_info')
  const name: unknown = context.getParameter(names?.UNMASKED_RENDERER_WEBGL ?? context.RENDERER)
  context.getExtension('WEBGL_lose_context')?.loseContext()
  return !SOFTWARE.test(String(name))
}

/** Programs choose their colours for a dark terminal, in a light page too. */
const THEME: ITheme = {
  background: '#0b0d0e',
  foreground: '#e4e6e8',
  cursor: '#8ab4ff',
  cursorAccent: '#0b0d0e',
  selectionBackground: '#2f4a7a',
  black: '#1b1e21',
  red: '#f47067',
  green: '#62d29a',
  yellow: '#f2b75c',
  blue: '#7aa8ff',
  magenta: '#c5a0f7',
  cyan: '#62cbe0',
  white: '#c8cbd0',
  brightBlack: '#868b93',
  brightRed: '#ff938a',
  brightGreen: '#8ee6b8',
  brightYellow: '#ffd08a',
  brightBlue: '#a6c6ff',
  brightMagenta: '#dac3fb',
  brightCyan: '#98e0ee',
  brightWhite: '#ffffff',
}

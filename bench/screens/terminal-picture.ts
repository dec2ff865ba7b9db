/** A picture of what a terminal showed, as SVG: frames one after the other, in the colours it had. */
export interface Frame {
  /** Lines with SGR escape sequences. */
  readonly text: string
  /** For how long it is shown, in seconds. */
  readonly seconds: number
}

const CHARACTER = 8.4
const LINE = 20
const EDGE = 16

const COLOURS: Readonly<Record<number, string>> = {
  31: '#ff7b72',
  32: '#56d364',
  33: '#e3b341',
  34: '#79c0ff',
  35: '#d2a8ff',
  36: '#39c5cf',
  90: '#8b949e',
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Frames of `columns` by as many lines as the longest has; the last one stays where motion is unwanted. */
export function terminalPicture(
  title: string,
  command: string,
  columns: number,
  frames: readonly Frame[],
): string {
  const rows = Math.max(...frames.map(({ text }) => text.split('\n').length)) + 2
  const width = Math.round(columns * CHARACTER + 2 * EDGE)
  const height = rows * LINE + 2 * EDGE
  const whole = frames.reduce((sum, { seconds }) => sum + seconds, 0)
  let begin = 0
  const rules: string[] = []
  const groups = frames.map(({ text, seconds }, index) => {
    const [from, to] = [begin, begin + seconds].map((at) => ((100 * at) / whole).toFixed(2))
    begin += seconds
    // Each is seen in its own part of the round, and in no other.
    const shown = `${from}%,${(Number(to) - 0.01).toFixed(2)}%{opacity:1}`
    const before = index === 0 ? '' : `0%,${(Number(from) - 0.01).toFixed(2)}%{opacity:0}`
    const after = index === frames.length - 1 ? '' : `${to}%,100%{opacity:0}`
    rules.push(
      `@keyframes f${index}{${before}${shown}${after}}#f${index}{animation:f${index} ${whole}s infinite step-end}`,
    )
    const lines = text.split('\n').flatMap((line, row) => textLine(line, row + 2))
    return `<g id="f${index}" class="f">\n${lines.join('\n')}\n</g>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="n">
<title id="n">${escaped(title)}</title>
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#e6edf3;white-space:pre}
.b{font-weight:600}.d{fill:#8b949e}${Object.entries(COLOURS)
    .map(([code, colour]) => `.c${code}{fill:${colour}}`)
    .join('')}
.f{opacity:0}
${rules.join('\n')}
@media (prefers-reduced-motion:reduce){.f{animation:none!important}#f${frames.length - 1}{opacity:1}}
</style>
<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>
<text x="${EDGE}" y="${EDGE + 14}"><tspan class="c32">$</tspan> ${escaped(command)}</text>
${groups.join('\n')}
</svg>
`
}

/** A line of text, each piece with its colour at its own column, so that no font moves the next one. */
function textLine(line: string, row: number): string[] {
  const y = EDGE + 14 + row * LINE
  const pieces: string[] = []
  let classes: string[] = []
  let column = 0
  // oxlint-disable-next-line no-control-regex -- what is looked for is the escape
  for (const [, codes, plain = ''] of line.matchAll(/\u001B\[([\d;]*)m|([^\u001B]+)/g)) {
    if (codes !== undefined) {
      for (const code of codes.split(';').map(Number))
        if (code === 0) classes = []
        else if (code === 1) classes = [...classes, 'b']
        else if (code === 2) classes = [...classes, 'd']
        else if (code === 22) classes = classes.filter((one) => one !== 'b' && one !== 'd')
        else if (code === 39) classes = classes.filter((one) => !one.startsWith('c'))
        else if (code in COLOURS) classes = [...classes.filter((one) => one[0] !== 'c'), `c${code}`]
      continue
    }
    // Wide gaps are left out: a piece begins at its own column.
    for (const { 0: words, index } of plain.matchAll(/\S+(?: \S+)*/g)) {
      const at = (EDGE + (column + index) * CHARACTER).toFixed(1)
      const style = classes.length === 0 ? '' : ` class="${classes.join(' ')}"`
      pieces.push(`<tspan x="${at}"${style}>${escaped(words)}</tspan>`)
    }
    column += plain.length
  }
  return pieces.length === 0 ? [] : [`<text y="${y}">${pieces.join('')}</text>`]
}

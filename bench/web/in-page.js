/**
 * In the page, before anything of it runs: when each event came over the socket, when what a row of
 * the tree says was another on the screen, how long after a key its echo was drawn, and how far
 * frames were apart. Times of events and rows are milliseconds since the epoch.
 */
const seen = { events: {}, rows: [], firstRow: 0, echoes: [], gaps: [], isWatching: true }
Object.assign(window, { seen })
const now = () => performance.timeOrigin + performance.now()

/** When the last key went down whose echo is not on the screen yet. */
let key
document.addEventListener('keydown', ({ timeStamp }) => (key = timeStamp), { capture: true })
/** The page says that what came for it is in the terminal’s buffer: the next frame draws it. */
const shown = () => {
  const pressed = key
  if (pressed === undefined || !seen.hasCome) return
  key = undefined
  seen.hasCome = false
  requestAnimationFrame(() => {
    // Behind what draws that frame.
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => seen.echoes.push(performance.now() - pressed)
    port2.postMessage(0)
  })
}

window.WebSocket = class extends WebSocket {
  constructor(url, protocols) {
    super(url, protocols)
    this.addEventListener('message', ({ data }) => {
      if (typeof data !== 'string') seen.hasCome = key !== undefined
      else if (seen.isWatching) {
        const seq = /^\{"seq":(\d+)/.exec(data)?.[1]
        if (seq !== undefined) seen.events[seq] = now()
      }
    })
  }

  send(data) {
    super.send(data)
    if (typeof data === 'string' && data.includes('"shown"')) shown()
  }
}

const said = new Map()
let before
const look = (frame) => {
  // Who asks for each frame has Chromium keep what comes after a key until the next one is drawn:
  // echoes, and memory, are measured without.
  if (!seen.isWatching) return
  if (before !== undefined) seen.gaps.push(frame - before)
  before = frame
  for (const row of document.querySelectorAll('[role=treeitem]')) {
    if (seen.firstRow === 0) seen.firstRow = performance.now()
    const text = row.children[1]?.textContent ?? ''
    if (said.get(row.id) === text) continue
    said.set(row.id, text)
    seen.rows.push({ id: row.id, text, at: now() })
  }
  requestAnimationFrame(look)
}
requestAnimationFrame(look)

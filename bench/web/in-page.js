/**
 * In the page, before anything of it runs: when each event came over the socket, and when what a row
 * of the tree says was another on the screen. Times are milliseconds since the epoch.
 */
const seen = { events: {}, rows: [], firstRow: 0 }
Object.assign(window, { seen })
const now = () => performance.timeOrigin + performance.now()

window.WebSocket = class extends WebSocket {
  constructor(url, protocols) {
    super(url, protocols)
    this.addEventListener('message', ({ data }) => {
      const seq = typeof data === 'string' ? /^\{"seq":(\d+)/.exec(data)?.[1] : undefined
      if (seq !== undefined) seen.events[seq] = now()
    })
  }
}

const said = new Map()
const look = () => {
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

import { crc32, deflateSync, inflateSync } from 'node:zlib'

/** Colours that a picture has in the end: one byte for each of its pixels. */
const COLOURS = 256
/** Of these so many as are used most; the others are those that would be missed most. */
const MOST_USED = 160

/**
 * The same picture with a palette: of letters and areas nothing is lost that one sees, and a third
 * of the bytes are left. `png`: as browsers write it, RGB of 8 bits without interlacing.
 */
export function smallPng(png: Buffer): Buffer {
  const { width, height, colours } = pixelsOf(png)
  const palette = paletteOf(colours)
  const known = new Map<number, number>(palette.map((colour, index) => [colour, index]))
  const rows = Buffer.alloc(height * (width + 1))
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const colour = colours[y * width + x] ?? 0
      const index = known.get(colour) ?? nearest(palette, colour).index
      known.set(colour, index)
      rows[y * (width + 1) + x + 1] = index
    }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 3, 0, 0, 0], 8)
  return Buffer.concat([
    png.subarray(0, 8),
    chunk('IHDR', head),
    chunk('PLTE', Buffer.from(palette.flatMap((colour) => parts(colour)))),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(body.length, 0)
  frame.writeUInt32BE(crc32(named), 4)
  return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)])
}

/** The colours of all pixels, row by row, as 0xRRGGBB. */
function pixelsOf(png: Buffer): { width: number; height: number; colours: Uint32Array } {
  const bodies: Buffer[] = []
  let [width, height] = [0, 0]
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at)
    const type = png.toString('latin1', at + 4, at + 8)
    const body = png.subarray(at + 8, at + 8 + length)
    if (type === 'IHDR') {
      ;[width, height] = [body.readUInt32BE(0), body.readUInt32BE(4)]
      if (body.readUInt8(8) !== 8 || body.readUInt8(9) !== 2 || body.readUInt8(12) !== 0)
        throw new Error('not RGB of 8 bits without interlacing')
    } else if (type === 'IDAT') bodies.push(body)
    at += length + 12
  }
  const raw = inflateSync(Buffer.concat(bodies))
  const size = width * 3
  const colours = new Uint32Array(width * height)
  let before = Buffer.alloc(size)
  for (let y = 0; y < height; y += 1) {
    const start = y * (size + 1)
    const filter = raw[start]
    const row = raw.subarray(start + 1, start + 1 + size)
    for (let index = 0; index < size; index += 1) {
      const left = index < 3 ? 0 : (row[index - 3] ?? 0)
      const up = before[index] ?? 0
      const corner = index < 3 ? 0 : (before[index - 3] ?? 0)
      row[index] = (row[index] ?? 0) + guess(filter, left, up, corner)
    }
    for (let x = 0; x < width; x += 1) colours[y * width + x] = row.readUIntBE(x * 3, 3)
    before = row
  }
  return { width, height, colours }
}

/** What a filter of PNG expects a byte to be. */
function guess(filter: number | undefined, left: number, up: number, corner: number): number {
  if (filter === 1) return left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  if (filter !== 4) return 0
  const sum = left + up - corner
  const [a, b, c] = [Math.abs(sum - left), Math.abs(sum - up), Math.abs(sum - corner)]
  return a <= b && a <= c ? left : b <= c ? up : corner
}

function paletteOf(colours: Uint32Array): number[] {
  const counts = new Map<number, number>()
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1)
  const byUse = [...counts.keys()].toSorted((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0))
  const palette = byUse.slice(0, MOST_USED)
  const left = new Map(
    byUse.slice(MOST_USED).map((colour) => [colour, nearest(palette, colour).distance]),
  )
  while (palette.length < COLOURS && left.size > 0) {
    let [missed, loss] = [0, -1]
    for (const [colour, distance] of left) {
      const now = distance * Math.sqrt(counts.get(colour) ?? 1)
      if (now > loss) [missed, loss] = [colour, now]
    }
    palette.push(missed)
    left.delete(missed)
    for (const [colour, distance] of left)
      left.set(colour, Math.min(distance, distanceOf(colour, missed)))
  }
  return palette
}

const parts = (colour: number): [number, number, number] => [
  colour >> 16,
  (colour >> 8) & 255,
  colour & 255,
]

function distanceOf(one: number, other: number): number {
  const [a, b] = [parts(one), parts(other)]
  return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2
}

function nearest(palette: readonly number[], colour: number): { index: number; distance: number } {
  let [index, distance] = [0, Infinity]
  for (const [at, one] of palette.entries()) {
    const now = distanceOf(one, colour)
    if (now < distance) [index, distance] = [at, now]
  }
  return { index, distance }
}

import { createServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import process from 'node:process'
import { text } from 'node:stream/consumers'
import Database from 'better-sqlite3'

/**
 * The least that a wait and a send need: two exchanges over a Unix socket, and one row of SQLite
 * written and deleted in between. `node floor-server.ts FOLDER` listens on FOLDER/s. `wait` of a
 * box is answered by the next `send` to it; `open` says whether one is.
 */
const [folder = '.'] = process.argv.slice(2)
const database = new Database(join(folder, 'floor.db'))
database.pragma('journal_mode = WAL')
database.pragma('synchronous = NORMAL')
database.exec(
  'create table mail (seq integer primary key autoincrement, box text not null, message text not null) strict',
)
const insert = database.prepare('insert into mail (box, message) values (?, ?)')
const take = database.prepare('delete from mail where box = ? returning message')
const waiting = new Map<string, ServerResponse>()

const answer = (response: ServerResponse, result: object): void =>
  void response.setHeader('content-type', 'application/json').end(JSON.stringify(result))

createServer(async (request, response) => {
  const { box, message } = JSON.parse(await text(request)) as { box: string; message: string }
  if (request.url === '/v1/tools/open') answer(response, { open: waiting.has(box) })
  else if (request.url === '/v1/tools/wait') waiting.set(box, response)
  else {
    insert.run(box, message)
    const waiter = waiting.get(box)
    waiting.delete(box)
    const [taken] = take.all(box)
    if (waiter !== undefined) answer(waiter, taken as object)
    answer(response, { status: 'sent' })
  }
}).listen({ path: join(folder, 's'), backlog: 2048 }, () => process.stdout.write('ready\n'))

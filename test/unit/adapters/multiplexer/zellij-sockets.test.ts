import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createSockets } from '../../../../src/adapters/terminals/zellij/sockets.ts'

const VERSION = 'contract_version_1'

function prepare(name = 's') {
  const folder = mkdtempSync(join(tmpdir(), 'xs-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, VERSION))
  const listen = async (session: string): Promise<Server> => {
    const server = createServer().listen(join(folder, VERSION, session))
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    return server
  }
  const inode = (...path: string[]) => statSync(join(folder, ...path)).ino
  return { folder, listen, inode, sockets: createSockets({ common: folder, session: name }) }
}

it('finds no session where none is, and makes no folder', async () => {
  const { folder, listen, sockets } = prepare()
  await listen('another')
  expect(await sockets.find()).toBe(false)
  expect(readdirSync(folder)).toEqual([VERSION])
})

it('shows a folder with our session alone', async () => {
  const { folder, listen, inode, sockets } = prepare()
  await listen('another')
  await listen('s')
  expect(await sockets.find()).toBe(true)
  expect(sockets.folder).toBe(join(folder, 's'))
  expect(readdirSync(sockets.folder, { recursive: true })).toEqual([VERSION, join(VERSION, 's')])
  expect(inode('s', VERSION, 's')).toBe(inode(VERSION, 's'))
  await sockets.remove()
  expect(readdirSync(folder)).toEqual([VERSION])
})

it('follows a session that was started again, many who look at once', async () => {
  const { folder, listen, inode, sockets } = prepare()
  const before = await listen('s')
  await sockets.find()
  before.close()
  await once(before, 'close')
  expect(await sockets.find()).toBe(false)
  await listen('s')
  const others = Array.from({ length: 8 }, () => createSockets({ common: folder, session: 's' }))
  expect(await Promise.all([sockets, ...others].map((one) => one.find()))).toEqual(Array.from({ length: 9 }, () => true))
  expect(readdirSync(join(folder, 's', VERSION))).toEqual(['s'])
  expect(inode('s', VERSION, 's')).toBe(inode(VERSION, 's'))
})

it('forgets a socket whose other name Zellij took away, and only then', async () => {
  const { folder, listen, sockets } = prepare()
  await listen('s')
  await sockets.find()
  await sockets.forgetLost()
  expect(await sockets.find()).toBe(true)
  rmSync(join(folder, 's', VERSION, 's'))
  await sockets.forgetLost()
  expect(await sockets.find()).toBe(false)
  expect(readdirSync(join(folder, VERSION))).toEqual([])
})

it('stays in the common folder where the path would be too long for a socket', async () => {
  const name = 'n'.repeat(40)
  const { folder, listen, sockets } = prepare(name)
  await listen(name)
  expect(await sockets.find()).toBe(true)
  expect(sockets.folder).toBe(folder)
  await sockets.forgetLost()
  expect(readdirSync(folder)).toEqual([VERSION])
  expect(await sockets.find()).toBe(true)
})

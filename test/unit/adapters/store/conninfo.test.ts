import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseConninfo, type Target } from '../../../../src/adapters/store/postgres/conninfo.ts'
import { decodeText, encodeText } from '../../../../src/adapters/store/postgres/text.ts'

describe('the address of a PostgreSQL store', () => {
  let home = ''
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), 'conninfo-'))
    writeFileSync(
      join(home, '.pg_service.conf'),
      '# mine\n[other]\nhost=elsewhere\n[trees]\nhost=/run/pg\nport=5433\ndbname=trees\n\n',
    )
    writeFileSync(
      join(home, '.pgpass'),
      '# host:port:database:user:password\nlocalhost:5433:trees:ann:from\\:file\n*:*:*:bob:any\n',
      { mode: 0o600 },
    )
    writeFileSync(join(home, 'open'), '*:*:*:*:secret\n', { mode: 0o644 })
  })
  afterAll(() => rmSync(home, { recursive: true }))
  const parse = (text: string, variables = {}): Target =>
    parseConninfo(text, { USER: 'ann', ...variables }, home)

  it.each([
    ['postgresql://ann:p%40ss@localhost:5433/trees', ['localhost', 5433, 'ann', 'trees', 'p@ss']],
    ['postgres://localhost', ['localhost', 5432, 'ann', 'ann', undefined]],
    [
      'postgresql:///trees?host=%2Frun%2Fpg&port=6000',
      ['/run/pg', 6000, 'ann', 'trees', undefined],
    ],
    ['postgresql://bob@[::1]/trees', ['::1', 5432, 'bob', 'trees', 'any']],
    ['postgresql://ann@%2Frun%2Fpg/trees', ['/run/pg', 5432, 'ann', 'trees', undefined]],
    ['host=/run/pg dbname=trees', ['/run/pg', 5432, 'ann', 'trees', undefined]],
    [
      "host = localhost user='an\\'n' password='a b\\\\' dbname=trees\n",
      ['localhost', 5432, "an'n", 'trees', 'a b\\'],
    ],
    // The socket is also localhost for the file of passwords.
    ['service=trees', ['/run/pg', 5433, 'ann', 'trees', 'from:file']],
    ['service=trees port=7000 user=bob', ['/run/pg', 7000, 'bob', 'trees', 'any']],
    ['postgresql://?service=trees', ['/run/pg', 5433, 'ann', 'trees', 'from:file']],
    ['dbname=trees', ['/var/run/postgresql', 5432, 'ann', 'trees', undefined]],
  ])('is read as psql reads it: %s', (text, [host, port, user, database, password]) => {
    expect(parse(text)).toMatchObject({ host, port, user, database, password })
  })

  it('takes what it leaves out from the variables of libpq', () => {
    const variables = {
      ...{ PGHOST: '/run/other', PGPORT: '1', PGUSER: 'eve', PGDATABASE: 'db' },
      ...{ PGPASSWORD: 'x', PGSERVICE: 'other' },
    }
    expect(parse('user=carl', variables)).toMatchObject({
      ...{ host: 'elsewhere', port: 1, user: 'carl', database: 'db', password: 'x' },
    })
  })

  it('reads no file of passwords that others may read, and says so', () => {
    const found = parse('host=/run/pg', { PGPASSFILE: join(home, 'open') })
    expect([found.password, found.skippedFile]).toEqual([
      undefined,
      expect.stringContaining('chmod 0600'),
    ])
  })

  it.each([
    ['', 'it is empty'],
    ['localhost', 'neither a URL nor key=value'],
    ['postgresql://a@b@c/x', 'no URL of a database'],
    ['postgresql://h/x?a', 'without a value'],
    ['postgresql://%zz/x', 'two hex digits'],
    ['host=a port=many', 'port is no number'],
    ['host=a,b', 'several hosts'],
    ['host=a cat=b', 'it says "cat"'],
    ['service=nobody', 'no service "nobody"'],
    ['host=db.example sslmode=prefer', 'in the clear'],
    ['host=db.example sslmode=always', 'none of disable'],
    ['host=db.example sslrootcert=/nowhere/ca', '/nowhere/ca can’t be read'],
  ])('is refused with what is wrong, and without the text: %j', (text, problem) => {
    const secret = 'topsecret'
    let said = ''
    try {
      parse(text === '' ? '' : text.replace(/^host=/, `password=${secret} host=`))
    } catch (error) {
      said = (error as Error).message
    }
    expect(said).toContain(problem)
    expect(said).not.toContain(secret)
  })

  it('means TLS with a verified name over a network, and none on a socket or the loopback', () => {
    expect(parse('host=db.example').tls).toEqual({ rejectUnauthorized: true })
    expect(parse('host=db.example sslmode=require').tls).toMatchObject({
      rejectUnauthorized: false,
    })
    for (const host of ['/run/pg', 'localhost', '127.0.0.1', '::1'])
      expect(parse(`host=${host}`).tls).toBe(false)
    expect(parse('host=localhost sslmode=verify-full').tls).toEqual({ rejectUnauthorized: true })
  })

  it('is shown without its password', () => {
    expect(parse('postgresql://ann:topsecret@localhost/trees').shown).toBe(
      'database trees on localhost:5432 as ann',
    )
  })
})

it('texts come back as they were, and a beginning stays one', () => {
  const text = fc.string({ unit: fc.constantFrom('\0', '\uFDD0', '\uFDD1', '\uFDD2', 'a', '🚀') })
  fc.assert(
    fc.property(text, text, (one, other) => {
      expect(decodeText(encodeText(one))).toBe(one)
      expect(encodeText(one)).not.toContain('\0')
      expect(encodeText(one + other)).toBe(encodeText(one) + encodeText(other))
      expect(encodeText(one) === encodeText(other)).toBe(one === other)
    }),
    { numRuns: 300 },
  )
})

import { describe, expect, it } from 'vitest'
import { parseTarget, takeHost } from '../../../../../src/surfaces/cli/elsewhere/target.ts'

describe('what --host names', () => {
  it.each([
    ['far', 'far', null, null],
    ['ada@far', 'ada@far', null, null],
    ['ada@far:', 'ada@far', null, null],
    ['ada@far.example.com:/srv/my app', 'ada@far.example.com', null, '/srv/my app'],
    ['far:app', 'far', null, 'app'],
    ['far:~/app:2', 'far', null, '~/app:2'],
    ['[fe80::1%eth0]:/srv', 'fe80::1%eth0', null, '/srv'],
    ['ssh://far', 'far', null, null],
    ['ssh://ada@far:2222', 'ada@far', 2222, null],
    ['ssh://ada@far:2222/srv/app', 'ada@far', 2222, '/srv/app'],
    ['ssh://far/~/app', 'far', null, '~/app'],
    ['ssh://ada@[::1]:22/srv', 'ada@::1', 22, '/srv'],
  ])('%s', (name, destination, port, path) => {
    expect(parseTarget(name)).toEqual({ name, destination, port, path })
  })

  it.each([
    '',
    ':/srv',
    '@far',
    'ada@',
    '-oProxyCommand=id',
    '-l@far',
    'a b',
    'far;id',
    '$(id)',
    'ada`id`@far',
    'far/srv',
    'ssh://far:0',
    'ssh://far:99999/srv',
    'ssh://-far',
  ])('is not “%s”', (name) => {
    expect(() => parseTarget(name)).toThrow('expected user@machine')
  })
})

describe('--host', () => {
  it.each([
    [['--host', 'far', 'tree', '--json'], 'far', ['tree', '--json']],
    [['--json', '-C', 'x', '--host=far:a', 'tree'], 'far:a', ['--json', '-C', 'x', 'tree']],
    [['--as', '--host', 'tree'], null, ['--as', '--host', 'tree']],
    [['spawn', '--host', 'gpu'], null, ['spawn', '--host', 'gpu']],
    [['tree'], null, ['tree']],
  ])('is taken from before the command: %j', (argv, host, rest) => {
    expect(takeHost(argv)).toEqual({ host, rest })
  })

  it('needs a machine', () => {
    expect(() => takeHost(['--host'])).toThrow('which machine?')
  })
})

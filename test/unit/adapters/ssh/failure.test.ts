import { expect, it } from 'vitest'
import { failureOf } from '../../../../src/adapters/ssh/failure.ts'

const machine = { destination: 'ada@far', port: 2222 }

it.each([
  ['ssh: connect to host far port 2222: Connection timed out', 'no_answer'],
  ['ssh: connect to host far port 2222: No route to host', 'no_answer'],
  ['ssh: connect to host far port 2222: Connection refused', 'refused'],
  ['ssh: Could not resolve hostname far: Name or service not known', 'unknown_host'],
  ['ada@far: Permission denied (publickey,password).', 'not_let_in'],
  ['Received disconnect from far: Too many authentication failures', 'not_let_in'],
  ['Host key verification failed.', 'unknown_host_key'],
  [
    '@@@@\n@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\n@@@@\nHost key verification failed.',
    'host_key_changed',
  ],
  ['kex_exchange_identification: read: Connection reset by peer', 'other'],
  ['', 'other'],
])('knows what “%s” means', (said, reason) => {
  const { code, facts, message } = failureOf(machine, said)
  expect({ code, facts }).toEqual({ code: 'HOST_UNREACHABLE', facts: { reason } })
  expect(message).toContain('ada@far ')
})

it('says how to try it by hand, and what ssh said', () => {
  const { message } = failureOf(machine, 'ada@far: Permission denied (publickey).\n')
  expect(message).toContain('`ssh -p 2222 ada@far`')
  expect(message).toContain('(ssh: ada@far: Permission denied (publickey).)')
  expect(failureOf({ destination: 'far', port: null }, 'x').message).toContain('`ssh far`')
})

import { describe, expect, it } from 'vitest'
import { followOutput } from '../../../../../src/adapters/terminals/detached/output-followers.ts'
import type { FollowMessage } from '../../../../../src/adapters/terminals/detached/protocol.ts'
import type { HostedEnd } from '../../../../../src/processes/host/hosted-process.ts'
import { createOutputLog } from '../../../../../src/processes/host/output-log.ts'

/** One who follows, and reads only when told to. */
function start() {
  const log = createOutputLog({ file: null })
  let end: (end: HostedEnd) => void = () => {}
  const hosted = { end: new Promise<HostedEnd>((resolve) => (end = resolve)) }
  const got: string[] = []
  let isBehind = false
  let readAll = () => {}
  const following = followOutput({ log, hosted }, new Set(), {
    send: (message: FollowMessage) =>
      got.push(message.event === 'text' ? message.text : message.event),
    isBehind: () => isBehind,
    onceRead: (listener) => (readAll = listener),
  })
  return {
    log,
    got,
    following,
    fallBehind: () => (isBehind = true),
    catchUp: () => {
      isBehind = false
      readAll()
    },
    end: async () => {
      end({ exitCode: 0, exitSignal: null } as HostedEnd)
      await hosted.end
    },
  }
}

describe('who follows what is said', () => {
  it('and reads it too slowly sees what was said last, that something is left out, and the end', async () => {
    const { log, got, fallBehind, catchUp, end } = start()
    log.write('out', 'first\n')
    fallBehind()
    log.write('out', 'left out\n'.repeat(5000))
    log.write('out', 'last\n')
    await end()
    expect(got).toEqual(['first\n'])
    catchUp()
    expect(got).toHaveLength(3)
    expect(got[1]).toMatch(/^\n\[exomonad\] too fast to show; the output file has all of it\n/)
    expect(got[1]).toMatch(/\nleft out\nlast\n$/)
    // No more of it than is kept.
    expect(got[1]?.split('\n').length).toBeLessThan(1100)
    expect(got[2]).toBe('ended')
  })

  it('goes on from there, and may fall behind again', () => {
    const { log, got, fallBehind, catchUp } = start()
    for (const round of ['one', 'two']) {
      fallBehind()
      log.write('out', `${round} behind\n`)
      catchUp()
      log.write('out', `${round} read\n`)
      expect(got.at(-1)).toBe(`${round} read\n`)
      expect(got.at(-2)).toContain(`${round} behind\n`)
    }
  })

  it('is sent nothing once they have gone', () => {
    const { log, got, fallBehind, catchUp, following } = start()
    fallBehind()
    log.write('out', 'behind\n')
    following.stop()
    catchUp()
    expect(got).toEqual([])
  })
})

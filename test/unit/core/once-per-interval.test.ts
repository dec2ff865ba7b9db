import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createPaced } from '../../../src/core/once-per-interval.ts'

const timers = () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
}

describe('createPaced', () => {
  it('does it at once, then at most once per interval, the last request always', async () => {
    timers()
    const done: string[] = []
    const paced = createPaced<string>({
      interval: 100,
      run: async (key) => void done.push(key),
      failed: () => {},
    })
    for (let n = 0; n < 10; n++) paced.request('a')
    paced.request('b')
    await vi.advanceTimersByTimeAsync(0)
    expect(done).toEqual(['a', 'b'])
    await vi.advanceTimersByTimeAsync(100)
    expect(done).toEqual(['a', 'b', 'a'])
    await vi.advanceTimersByTimeAsync(1000)
    expect(done).toHaveLength(3)
    paced.request('b')
    expect(done).toHaveLength(4)
  })

  it('never does the same twice at a time', async () => {
    timers()
    let running = 0
    let most = 0
    const ends: (() => void)[] = []
    const run = async () => {
      most = Math.max(most, ++running)
      await new Promise<void>((resolve) => ends.push(resolve))
      running -= 1
    }
    const paced = createPaced<string>({ interval: 10, run, failed: () => {} })
    paced.request('a')
    await vi.advanceTimersByTimeAsync(50)
    paced.request('a')
    await vi.advanceTimersByTimeAsync(50)
    expect([running, most]).toEqual([1, 1])
    ends[0]?.()
    await vi.advanceTimersByTimeAsync(50)
    expect([ends.length, most]).toEqual([2, 1])
  })

  it('does work that takes long less often', async () => {
    timers()
    let begun = 0
    const paced = createPaced<string>({
      interval: 10,
      share: 0.1,
      run: async () => {
        begun += 1
        await new Promise((resolve) => setTimeout(resolve, 100))
      },
      failed: () => {},
    })
    paced.request('a')
    paced.request('a')
    await vi.advanceTimersByTimeAsync(900)
    expect(begun).toBe(1)
    await vi.advanceTimersByTimeAsync(200)
    expect(begun).toBe(2)
  })

  it('goes on after a failure, which it reports', async () => {
    timers()
    const failures: string[] = []
    const paced = createPaced<string>({
      interval: 10,
      run: () => Promise.reject(new Error('no')),
      failed: (thrown, key) => void failures.push(`${key} ${(thrown as Error).message}`),
    })
    paced.request('a')
    await vi.advanceTimersByTimeAsync(20)
    paced.request('a')
    await vi.advanceTimersByTimeAsync(20)
    expect(failures).toEqual(['a no', 'a no'])
  })

  it('waits for what is under way when it is stopped, and begins nothing more', async () => {
    timers()
    const steps: string[] = []
    const paced = createPaced<string>({
      interval: 10,
      run: async () => {
        steps.push('begun')
        await new Promise((resolve) => setTimeout(resolve, 50))
        steps.push('done')
      },
      failed: () => {},
    })
    paced.request('a')
    paced.request('a')
    const stopped = paced.stop().then(() => steps.push('stopped'))
    await vi.advanceTimersByTimeAsync(200)
    await stopped
    paced.request('a')
    await vi.advanceTimersByTimeAsync(200)
    expect(steps).toEqual(['begun', 'done', 'stopped'])
  })
})

import { describe, expect, it } from 'vitest'
import { parseCount, settings } from '../../../../src/adapters/limits/control-files.ts'
import { nicenessOf, processOptions, refusal } from '../../../../src/adapters/limits/of-process.ts'
import { parseOwnGroups } from '../../../../src/adapters/limits/own-groups.ts'
import { sliceName } from '../../../../src/adapters/limits/slices.ts'
import { choose, type Way } from '../../../../src/adapters/limits/ways.ts'

const MOUNTS = `31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
35 31 0:32 /docker/c1 /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
`

describe('the control groups of a process', () => {
  it('are found where their hierarchy is mounted, as far down as it is', () => {
    const groups = `9:name=systemd:/
8:pids:/
4:memory:/docker/c1
1:cpu,cpuacct:/user/me
0::/user.slice/app.scope
`
    expect(parseOwnGroups({ groups, mounts: MOUNTS })).toEqual([
      {
        version: 1,
        controllers: ['memory'],
        path: '/sys/fs/cgroup/memory',
        isTop: true,
        mount: '/sys/fs/cgroup/memory',
      },
      {
        version: 1,
        controllers: ['cpu', 'cpuacct'],
        path: '/sys/fs/cgroup/cpu,cpuacct/user/me',
        isTop: false,
        mount: '/sys/fs/cgroup/cpu,cpuacct',
      },
      {
        version: 2,
        controllers: [],
        path: '/sys/fs/cgroup/unified/user.slice/app.scope',
        isTop: false,
        mount: '/sys/fs/cgroup/unified',
      },
    ])
  })

  it('are none of which another part is mounted', () => {
    const of = (path: string) => parseOwnGroups({ groups: `4:memory:${path}`, mounts: MOUNTS })
    expect(of('/docker/c10')).toEqual([])
    expect(of('/../other')).toEqual([])
    expect(of('/docker/c1/below')).toMatchObject([{ path: '/sys/fs/cgroup/memory/below' }])
    expect(parseOwnGroups({ groups: '', mounts: '' })).toEqual([])
  })
})

describe('what is written into a group', () => {
  const bounds = {
    memory: { value: 4096, key: 'a' },
    processes: { value: 64, key: 'b' },
    cpu_weight: { value: 50, key: 'c' },
  }

  it('is the same limits in both versions', () => {
    const of = (version: 1 | 2) =>
      Object.fromEntries(
        settings(['memory', 'processes', 'cpu_weight'], version, bounds).map(({ file, text }) => [
          file,
          text,
        ]),
      )
    expect(of(2)).toEqual({
      'memory.swap.max': '0',
      'memory.oom.group': '0',
      'memory.max': '4096',
      'pids.max': '64',
      'cpu.weight': '50',
    })
    expect(of(1)).toEqual({
      'memory.limit_in_bytes': '4096',
      'memory.memsw.limit_in_bytes': '4096',
      'pids.max': '64',
      'cpu.shares': '512',
    })
  })

  it('takes away what is no limit any more', () => {
    expect(settings(['memory', 'cpu_weight'], 2, {}).map(({ text }) => text)).toEqual([
      'max',
      '0',
      'max',
      '100',
    ])
  })
})

describe('the counts of a group', () => {
  it('are of its own limit, and not of a machine that has no memory left', () => {
    const events = (oom: number) => `low 0\nhigh 0\nmax 12\noom ${oom}\noom_kill 2\n`
    expect(parseCount('memory', 2, events(1))).toBe(2)
    expect(parseCount('memory', 2, events(0))).toBe(0)
    expect(parseCount('memory', 1, 'oom_kill_disable 0\nunder_oom 0\noom_kill 3\n')).toBe(3)
    expect(parseCount('processes', 2, 'max 7\n')).toBe(7)
    expect(parseCount('processes', 1, '')).toBe(0)
  })
})

describe('the way that holds a limit', () => {
  const group: Way = { kind: 'group', version: 2, base: '/g' }
  const part: Way = { kind: 'process' }

  it('is the first that does, of each by itself, with why there is no better', () => {
    const found = choose([
      { way: {}, reasons: ['no v2'] },
      { way: { processes: group }, reasons: ['no memory'] },
      { way: { memory: part, cpu_weight: part, processes: part }, reasons: [] },
    ])
    expect(found).toEqual({
      of: { processes: group, memory: part, cpu_weight: part },
      reasons: ['no v2', 'no memory'],
    })
  })

  it('of each process holds what it can, and refuses the rest', () => {
    const memory = { value: 4 * 1024 ** 3, key: 'a' }
    expect(
      processOptions(['memory', 'cpu_weight'], { memory, cpu_weight: { value: 50, key: 'b' } }),
    )
      // A quarter less for each step: 3 is half.
      .toEqual(['--data', '4194304', '--nice', '3'])
    expect([100, 80, 1, 101, 200].map(nicenessOf)).toEqual([0, 1, 19, 0, undefined])
    expect(refusal('memory', memory.value)).toBeUndefined()
    expect(refusal('memory', 512 * 1024 ** 2)).toContain('1 GiB')
    expect(refusal('cpu_weight', 200)).toContain('control group')
  })

  it('by systemd has a name without nesting', () => {
    expect(sliceName('exomonad-1a', '0192-b-c')).toBe('exomonad_1a_0192_b_c.slice')
  })
})

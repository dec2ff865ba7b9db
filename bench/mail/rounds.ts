import { setTimeout as delay } from 'node:timers/promises'

/** Somewhere that boxes can be waited for and sent to. */
export interface PostOffice {
  readonly boxes: number
  /** Resolves with what is sent to the box. */
  wait(box: number): Promise<{ message: string }>
  send(box: number, message: string): Promise<unknown>
  /** Whether the wait that was asked for last is under way. */
  isWaiting(box: number): Promise<boolean>
  /** Ends all waits. */
  close(): void
}

/** At once: more would overflow the queue of connections that are not accepted yet. */
const CONNECTING = 100

/** A wait for every box, all under way. */
export async function openWaits(office: PostOffice): Promise<Promise<{ message: string }>[]> {
  const waits: Promise<{ message: string }>[] = []
  while (waits.length < office.boxes) {
    const first = waits.length
    for (let box = first; box < Math.min(first + CONNECTING, office.boxes); box += 1)
      waits.push(office.wait(box))
    for (let box = first; box < waits.length; box += 1) await underWay(office, box)
  }
  // What is still open at the end is broken off.
  for (const wait of waits) wait.catch(() => {})
  return waits
}

export interface Rounds {
  /** Milliseconds from just before the request of `send` until the result of the wait is there. */
  readonly woken: number[]
  /** Until the result of `send` is. */
  readonly sent: number[]
}

/**
 * One box after the other, at random, in each office in turn: a message is sent, its wait returns,
 * it waits again.
 */
export async function measureRounds(
  offices: readonly { office: PostOffice; waits: Promise<{ message: string }>[] }[],
  rounds: number,
): Promise<Rounds[]> {
  const measured = offices.map((): Rounds => ({ woken: [], sent: [] }))
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { office, waits }] of offices.entries()) {
      const box = Math.floor(Math.random() * office.boxes)
      const message = `message ${round}`
      const start = performance.now()
      const [received] = await Promise.all([
        waits[box]?.then((result) => {
          measured[index]?.woken.push(performance.now() - start)
          return result
        }),
        office.send(box, message).then(() => measured[index]?.sent.push(performance.now() - start)),
      ])
      if (received?.message !== message)
        throw new Error(`"${message}" was sent, and the wait returned ${JSON.stringify(received)}`)
      waits[box] = office.wait(box)
      waits[box].catch(() => {})
      await underWay(office, box)
    }
  }
  return measured
}

/** A moment longer than it takes, so that a round finds the server at rest. */
async function underWay(office: PostOffice, box: number): Promise<void> {
  const deadline = performance.now() + 30_000
  while (!(await office.isWaiting(box))) {
    if (performance.now() > deadline) throw new Error(`the wait of box ${box} does not begin`)
    await delay(1)
  }
}

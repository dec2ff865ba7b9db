/** What goes on by itself once everything else stands. */
export interface Background {
  begin(): Promise<void>
  stop(): Promise<void>
}

/** `resume`: what a restart cut off, before the rest starts. */
export const createBackground = ({
  resume,
  starts,
  stops,
}: {
  resume: () => Promise<void>
  starts: readonly { start(): void }[]
  stops: readonly { stop(): Promise<void> }[]
}): Background => ({
  begin: async () => {
    await resume()
    for (const one of starts) one.start()
  },
  stop: async () => {
    await Promise.all(stops.map((one) => one.stop()))
  },
})

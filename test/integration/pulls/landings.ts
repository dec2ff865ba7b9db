import { expect, onTestFinished } from 'vitest'
import { landingWorld, type LandingWorld } from '../../helpers/landing-world.ts'

/** What tests of landing have in common: one process, on the real local forge. */

/** Red with both halves of a pair, and with whatever says that it is bad. */
export const PAIRS =
  'for a in pair-*-a; do b="${a%-a}-b"; if test -e "$a" && test -e "$b"; then echo "$a and $b"; exit 1; fi; done; if test -e bad.txt; then echo "it is bad"; exit 1; fi'

export async function landings(
  options: Parameters<typeof landingWorld>[1] = {},
  script = PAIRS,
): Promise<LandingWorld> {
  const opened = await landingWorld(script, options)
  onTestFinished(() => opened.close())
  return opened
}

/** Every tip that main had was found green as it was. */
export async function expectTipsChecked(tree: LandingWorld): Promise<void> {
  const green = new Set(tree.runs().flatMap((run) => (run.green ? [run.tree] : [])))
  for (const tip of await tree.tips())
    expect(green).toContain(await tree.repository.git('rev-parse', `${tip}^{tree}`))
}

export async function subjects(tree: LandingWorld): Promise<string[]> {
  const tip = await tree.git.remoteTip(tree.remote, 'main' as never)
  return (await tree.repository.git('log', '--format=%s', String(tip))).split('\n')
}

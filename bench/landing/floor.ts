import { tempRepository } from '../../test/helpers/temp-repository.ts'
import { timed } from '../figures.ts'

/** The same work by hand, seconds: merge, check, next in a loop; and one check of all together. */
export async function measureFloors(
  count: number,
  checkSeconds: number,
): Promise<{ loop: number; once: number }> {
  const repository = await tempRepository({ files: { 'shared.txt': 'base\n' } })
  try {
    const { git } = repository
    for (let index = 0; index < count; index += 1) {
      await git('checkout', '-q', '-b', `w${index}`, 'main')
      await repository.commit({ [`w${index}.txt`]: `${index}\n` })
    }
    const names = Array.from({ length: count }, (_, index) => `w${index}`).join(' ')
    const shell = async (script: string): Promise<number> => {
      await git('checkout', '-q', '-B', 'landing', 'main')
      const { ms } = await timed(() => git('-c', `alias.land=!f() { ${script}; }; f`, 'land'))
      return ms / 1000
    }
    return {
      loop: await shell(
        `for name in ${names}; do git merge -q --no-edit "$name" >/dev/null && sleep ${checkSeconds} || exit 1; done`,
      ),
      once: await shell(
        `for name in ${names}; do git merge -q --no-edit "$name" >/dev/null || exit 1; done; sleep ${checkSeconds}`,
      ),
    }
  } finally {
    repository.remove()
  }
}

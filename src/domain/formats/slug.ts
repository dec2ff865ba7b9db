import { ExomonadError } from '../errors.ts'
import type { Slug } from '../ids.ts'

/**
 * Letters that have no part that is one of a–z; accents and the like come off by themselves. Greek
 * as ISO 843 has it, Cyrillic much as BGN/PCGN does, without the signs. Other scripts (Chinese,
 * Arabic, …) are read differently from place to place and would need dictionaries: they are left
 * out.
 */
const LETTERS: ReadonlyMap<string, string> = new Map(
  [
    'ß=ss æ=ae œ=oe ø=o đ=d ð=d ħ=h ı=i ł=l ŋ=n þ=th ŧ=t ə=e ƒ=f ŀ=l ĸ=k',
    'α=a β=v γ=g δ=d ε=e ζ=z η=i θ=th ι=i κ=k λ=l μ=m ν=n ξ=x ο=o π=p ρ=r σ=s ς=s τ=t υ=y φ=f χ=ch ψ=ps ω=o',
    'а=a б=b в=v г=g д=d е=e ж=zh з=z и=i к=k л=l м=m н=n о=o п=p р=r с=s т=t у=u ф=f х=kh ц=ts ч=ch ш=sh щ=shch ъ= ы=y ь= э=e ю=yu я=ya',
    'ґ=g є=ye і=i ђ=dj ј=j љ=lj њ=nj ћ=c џ=dz ѕ=dz',
  ].flatMap((row) =>
    row.split(' ').map((pair): [string, string] => [pair.slice(0, 1), pair.slice(2)]),
  ),
)
const plain = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    // Twice: a capital can come apart only when it is small.
    .normalize('NFKD')
    .replace(/[\p{M}·ʼ]/gu, '')
    .replace(/[^a-z0-9]/gu, (letter) => LETTERS.get(letter) ?? letter)

/**
 * Words that address somebody already: an agent of that name could not be distinguished from them.
 */
const RESERVED: ReadonlySet<string> = new Set(['root', 'human', 'daemon'])

/** INVALID_ARG for a name that means somebody else wherever an agent is addressed. */
export function requireFreeWord(slug: Slug, name: string): Slug {
  if (!RESERVED.has(slug)) return slug
  throw new ExomonadError(
    'INVALID_ARG',
    `"${name}" can’t be an agent’s name: ${[...RESERVED].join(', ')} mean others. Choose another.`,
    { found: name },
  )
}

/**
 * The branch segment for a name: lower-cased, letters without their accents, Greek and Cyrillic
 * ones in a–z, every run of other characters one `-`, trimmed, at most 50 characters. Throws
 * INVALID_ARG where nothing is left. `{branch}.{slug}` must still pass
 * `git check-ref-format --branch` (`lock` does not).
 */
export function slugify(name: string): Slug {
  const slug = plain(name)
    .replace(/[^a-z0-9]+/g, '-')
    // A run of other characters is one dash by now.
    .replace(/^-/, '')
    .slice(0, 50)
    .replace(/-$/, '')
  if (slug === '') {
    throw new ExomonadError(
      'INVALID_ARG',
      `"${name}" leaves nothing to name a branch with: use at least one letter of the Latin, Greek or Cyrillic alphabet, or a digit.`,
      { found: name },
    )
  }
  return slug as Slug
}

import { readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { ExomonadError } from '../../domain/errors.ts'

/**
 * Path of a file with a secret, as the configuration names it: `~/` is your home, anything relative
 * lies in `.exomonad/`.
 */
export function secretFilePath(
  written: string,
  where: { readonly userHome: string; readonly home: string },
): string {
  if (written === '~' || written.startsWith('~/')) return join(where.userHome, written.slice(1))
  return resolve(where.home, '.exomonad', written)
}

/** The secret alone, without the space around it. FORGE_DENIED where there is none to be read. */
export async function readSecretFile(path: string, key: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const what =
      error.code === 'ENOENT' ? 'is not there' : `can’t be read (${error.code ?? error.message})`
    throw new ExomonadError(
      'FORGE_DENIED',
      `${path}, which ${key} names, ${what}. Write the secret into it, readable by you alone (mode 600).`,
      { file: path },
    )
  })
  const secret = text.trim()
  if (secret === '' || /\s/.test(secret)) {
    const what = secret === '' ? 'is empty' : 'holds more than one word'
    throw new ExomonadError(
      'FORGE_DENIED',
      `${path}, which ${key} names, ${what}: it is to hold the secret alone.`,
      { file: path },
    )
  }
  return secret
}

/**
 * Its mode in octal where others on this machine may read or write it, else null; null as well
 * where it is not there.
 */
export async function openToOthers(path: string): Promise<string | null> {
  const found = await stat(path).catch(() => null)
  return found === null || (found.mode & 0o077) === 0 ? null : (found.mode & 0o777).toString(8)
}

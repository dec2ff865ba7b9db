import { createPrivateKey, sign, type KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { ExomonadError } from '../../../../domain/errors.ts'

/**
 * Seconds. Issued a little before now, since clocks differ, and over before the 10 minutes that
 * GitHub allows at most.
 */
const ISSUED_BEFORE = 60
const EXPIRES_AFTER = 9 * 60

/**
 * The private key of a GitHub App, as its settings give it out. FORGE_DENIED where there is none to
 * be read, with what is wrong.
 */
export async function readAppKey(path: string): Promise<KeyObject> {
  const denied = (
    what: string,
    fix = 'Make a private key in the app’s settings and save it there, readable by you alone (mode 600).',
  ): ExomonadError =>
    new ExomonadError(
      'FORGE_DENIED',
      `${path}, which forge.github.app_key_file names, ${what}. ${fix}`,
      { file: path },
    )
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw denied(
      error.code === 'ENOENT' ? 'is not there' : `can’t be read (${error.code ?? error.message})`,
    )
  })
  if (!/-----BEGIN [A-Z ]+-----/.test(text))
    throw denied('is no private key in PEM form (it begins with no -----BEGIN … KEY-----)')
  if (/ENCRYPTED/.test(text))
    throw denied(
      'is encrypted, and nobody is there to type a passphrase',
      'Save the key as GitHub gives it out.',
    )
  let key: KeyObject
  try {
    key = createPrivateKey(text)
  } catch {
    throw denied('holds no private key that can be read')
  }
  if (key.asymmetricKeyType !== 'rsa')
    throw denied(`holds a key of the kind ${String(key.asymmetricKeyType)}, and GitHub’s are RSA`)
  return key
}

/** What an app signs in with for a few minutes. `now`: milliseconds by GitHub’s clock. */
export function signAppToken(app: number, key: KeyObject, now: number): string {
  const seconds = Math.floor(now / 1000)
  const parts = [
    { alg: 'RS256', typ: 'JWT' },
    { iat: seconds - ISSUED_BEFORE, exp: seconds + EXPIRES_AFTER, iss: String(app) },
  ]
  const text = parts
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`
}

import { realpathSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join, relative } from 'node:path'

/** A browser asks for a page to show, and for none of the files and answers beside it. */
export const isForView = ({ method, url = '', headers }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  (headers.accept ?? '').includes('text/html') &&
  !/^\/(?:assets|v1|openapi\.json|open|session)(?:[/?]|$)/.test(url)

/** As no file’s and no view’s address is: of these not even that they are not there can be said. */
export function isMalformed(url: string): boolean {
  try {
    const path = decodeURIComponent(url.replace(/\?.*$/s, ''))
    return path.startsWith('//') || path.includes('\0') || /[\\/]\.\.(?:[\\/]|$)/.test(path)
  } catch {
    return true
  }
}

/** Not out of the folder by a symbolic link. What is not there is answered as such. */
export function isBelow(folder: string, path: string): boolean {
  try {
    return !relative(realpathSync(folder), realpathSync(join(folder, path))).startsWith('..')
  } catch {
    return true
  }
}

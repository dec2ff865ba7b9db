import { forward } from './forward.ts'
import { inwardSocket, outwardSocket, PROXY, type Ways } from './ways.ts'

/** The end inside of the sandbox: ports where its programs expect them. */
export async function openInside({ proxyPort, outward, inward }: Ways): Promise<void> {
  await forward(proxyPort, PROXY)
  for (const port of outward) await forward(port, outwardSocket(port))
  for (const port of inward) await forward(inwardSocket(port), port)
}

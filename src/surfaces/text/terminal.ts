/** Where a command writes and reads. `process.stdout` and friends fit. */
export interface Terminal {
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  readonly stdin: InputStream
}

export interface InputStream extends AsyncIterable<Uint8Array | string> {
  readonly isTTY?: boolean
  /** Keys come one by one, Ctrl-C among them. */
  setRawMode?(isRaw: boolean): unknown
  on?(event: 'data', listener: (chunk: Uint8Array | string) => void): unknown
  off?(event: 'data', listener: (chunk: Uint8Array | string) => void): unknown
  resume?(): unknown
  pause?(): unknown
}

export interface OutputStream {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
  /** The same for data, which stays as it is; set where `write` writes in ASCII. */
  readonly exact?: OutputStream
  write(text: string, done?: (error?: Error | null) => void): boolean
  on?(event: 'resize', listener: () => void): unknown
  off?(event: 'resize', listener: () => void): unknown
}

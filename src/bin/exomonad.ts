#!/usr/bin/env node
// Nothing here may need a newer Node than the oldest that reads ES modules: the version is checked
// before anything else is loaded.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 14)) {
  process.stderr.write(
    `exomonad needs Node 22.14 or newer; this is ${process.versions.node} (${process.execPath}). Install a newer one, or put it first on PATH.\n`,
  )
  process.exit(1)
}
void import('./start.ts').then(({ start }) => start()).then((code) => process.exit(code))

export {}

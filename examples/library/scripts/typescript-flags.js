/** Node strips types by itself from 22.18 on; before, it wants to be asked. */
export const typescriptFlags = process.features.typescript ? [] : ['--experimental-strip-types', '--disable-warning=ExperimentalWarning']

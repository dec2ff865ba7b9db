import fc from 'fast-check'

/**
 * The same cases for every mutant and in every run: else one is killed today and lives tomorrow.
 */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 1 })

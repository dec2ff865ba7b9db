import fc from 'fast-check'

/**
 * Runs before every test file: a property test whose generator states a `maxLength` gets up to that
 * many, not ten.
 */
fc.configureGlobal({ defaultSizeToMaxWhenMaxSpecified: true })

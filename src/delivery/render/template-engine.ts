import { Liquid } from 'liquidjs'

/** Templates see data only: no files, no functions; limits on size, time and memory. */
export const createTemplateEngine = (): Liquid =>
  new Liquid({
    strictVariables: true,
    // Events of before lack what newer ones have: a condition asks for it.
    lenientIf: true,
    strictFilters: true,
    ownPropertyOnly: true,
    templates: {},
    // Else the system is asked for its own, which loads tables of all languages: 30 ms at each start.
    locale: 'en-US',
    parseLimit: 200_000,
    renderLimit: 2_000,
    memoryLimit: 20_000_000,
  })

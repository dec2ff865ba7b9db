import type { BundledPackage } from '../build/third-party-notices.ts'

interface Component {
  readonly 'bom-ref': string
  readonly name: string
  readonly version: string
  readonly properties?: readonly { readonly name: string; readonly value: string }[]
}

/** CycloneDX, as far as it is changed here. */
export interface BillOfMaterials {
  readonly metadata: { readonly component: Record<string, unknown> }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[]
}

const DEVELOPMENT = 'cdx:npm:package:development'

/**
 * Of what `npm sbom` says of the checkout what is in the package that people install: packages that
 * npm installs beside it, and those that the build put into it, which npm takes for tools of
 * development. Throws where one of the latter is unknown to npm.
 */
export function billOfPackage(
  whole: BillOfMaterials,
  bundled: readonly BundledPackage[],
): BillOfMaterials {
  const inside = new Set(bundled.map(({ name, version }) => `${name}@${version}`))
  const known = new Set(whole.components.map(({ name, version }) => `${name}@${version}`))
  const unknown = [...inside].filter((one) => !known.has(one))
  if (unknown.length > 0)
    throw new Error(`bundled, but not in package-lock.json: ${unknown.join(', ')}`)
  const components = whole.components.flatMap((component): Component[] => {
    const { name, version, properties = [] } = component
    if (inside.has(`${name}@${version}`)) {
      const bundledMark = { name: 'cdx:npm:package:bundled', value: 'true' }
      const others = properties.filter((property) => property.name !== DEVELOPMENT)
      return [
        { ...component, scope: 'required', properties: [...others, bundledMark] } as Component,
      ]
    }
    return properties.some((property) => property.name === DEVELOPMENT) ? [] : [component]
  })
  const refs = new Set(components.map((component) => component['bom-ref']))
  const { component: root } = whole.metadata
  return {
    ...whole,
    // npm takes the folder’s name.
    metadata: { ...whole.metadata, component: { ...root, name: 'exomonad', type: 'application' } },
    components,
    dependencies: whole.dependencies
      .filter(({ ref }) => ref === root['bom-ref'] || refs.has(ref))
      .map(({ dependsOn = [], ...rest }) => ({
        ...rest,
        dependsOn: dependsOn.filter((ref) => refs.has(ref)),
      })),
  }
}

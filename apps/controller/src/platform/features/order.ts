import type { Feature } from './define-feature.ts';

/** The features by name, each behind those that it refers to. Throws if it names one that does not exist, or if they refer to each other. */
export function orderFeatures(features: readonly Feature[]): Feature[] {
  const byName = new Map(features.map((feature) => [feature.name, feature]));
  const ordered = new Set<Feature>();
  const add = (name: string, path: readonly string[]): void => {
    const feature = byName.get(name);
    if (feature === undefined) throw new Error(`feature ${path.at(-1)} refers to ${name}, which does not exist`);
    if (path.includes(name)) throw new Error(`features refer to each other: ${[...path, name].join(', ')}`);
    for (const other of feature.after ?? []) add(other, [...path, name]);
    ordered.add(feature);
  };
  for (const name of [...byName.keys()].toSorted()) add(name, []);
  return [...ordered];
}

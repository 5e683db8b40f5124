import type { Migrations } from '@flotilla/db';
import type { Feature } from './define-feature.ts';

/** The migrations of all features. Throws if two have the same name. */
export function mergeMigrations(features: readonly Feature[]): Migrations {
  const all = features.flatMap(({ migrations = {} }) => Object.entries(migrations));
  const merged = Object.fromEntries(all);
  const [twice] = all.map(([name]) => name).filter((name, index, names) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`migration ${twice} is declared twice`);
  return merged;
}

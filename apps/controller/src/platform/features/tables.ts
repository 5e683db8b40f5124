import type { Feature, TableManifest } from './define-feature.ts';

export interface FeatureTable extends TableManifest {
  readonly table: string;
}

/** The tables of all features. Throws where two features declare the same table. */
export function listTables(features: readonly Feature[]): FeatureTable[] {
  const tables = features.flatMap(({ name, tables = {} }) =>
    Object.entries(tables).map(([table, manifest]) => ({ table, name, manifest })),
  );
  const owners = new Map<string, string>();
  for (const { table, name } of tables) {
    const other = owners.get(table);
    if (other !== undefined) throw new Error(`table ${table} is declared by ${other} and by ${name}`);
    owners.set(table, name);
  }
  return tables.map(({ table, manifest }) => ({ table, ...manifest }));
}

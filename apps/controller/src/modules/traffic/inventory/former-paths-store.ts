import type { InventoryMethod } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { toOperationId } from '@flotilla/inventory';
import { sql } from 'kysely';
import { readCurrentNames } from './merges-store.ts';

export interface PathName {
  readonly host: string;
  readonly path: string;
}

/** Names that one call looks for, so that it never holds the event loop for long. */
const NAMES_MAX = 20_000;

/**
 * Returns the paths that no confirmed operation has, with the ids of the operations that those that had them are part of now. A path has none if no
 * operation ever had it or if its merge is forgotten. Follows only operations that the reader may see.
 */
export async function followFormerPaths(
  db: Db,
  projectId: string,
  paths: readonly PathName[],
): Promise<readonly (PathName & { readonly now: readonly string[] })[]> {
  const former = await findUnused(db, projectId, paths);
  const names = await listFormerNames(db, projectId, former);
  const current = await readCurrentNames(
    db,
    projectId,
    names.map(({ id }) => id),
  );
  const byPath = Map.groupBy(names, ({ path }) => path);
  return former.map((path) => {
    const ids = (byPath.get(path) ?? []).flatMap(({ id }) => current.get(id)?.id ?? []);
    return { ...path, now: [...new Set(ids)] };
  });
}

async function findUnused(db: Db, projectId: string, paths: readonly PathName[]): Promise<readonly PathName[]> {
  if (paths.length === 0) return [];
  const { rows } = await sql<PathName>`
    select distinct given.host, given.path
    from unnest(${paths.map(({ host }) => host)}::text[], ${paths.map(({ path }) => path)}::text[]) as given(host, path)
    where not exists (
      select from inventory_operations o
      where o.project_id = ${projectId} and o.host = given.host and o.path = given.path and o.confirmed and not o.is_other
    )
    order by given.host, given.path`.execute(db);
  return rows;
}

/**
 * The ids that operations of these paths had. Ids do not contain names, but a merge changes only the path: so everything else is what
 * the operations of the host have that others are part of.
 */
async function listFormerNames(
  db: Db,
  projectId: string,
  paths: readonly PathName[],
): Promise<readonly { readonly id: string; readonly path: PathName }[]> {
  if (paths.length === 0) return [];
  const { rows } = await sql<{ host: string; method: InventoryMethod; operation: string }>`
    select distinct o.host, o.method, o.operation
    from inventory_operations o
    join inventory_merges m on m.project_id = o.project_id and m.target_id = o.id
    where o.project_id = ${projectId} and o.host = any(${paths.map(({ host }) => host)}::text[])
    order by o.operation, o.host, o.method
    limit ${Math.ceil(NAMES_MAX / paths.length)}`.execute(db);
  return paths.flatMap((path) =>
    rows
      .filter(({ host }) => host === path.host)
      .map((row) => ({ id: toOperationId(projectId, { ...row, normalizedPath: path.path }), path })),
  );
}

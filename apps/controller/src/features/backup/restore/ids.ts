import type { Tx } from '@flotilla/db';
import { findDocuments } from '../../documents/index.ts';
import { findPolicies } from '../../policies/index.ts';
import { findServices } from '../project-store.ts';
import { nameDocument, type ProjectContent } from './content.ts';

/** What was restored: the id that it had in the backup, and the one that it has here. */
export interface IdMapping {
  readonly kind: 'documents' | 'policies' | 'services' | 'settings' | 'members' | 'groups' | 'schedules';
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

/** Of these, what the project has by their names. */
export async function mapIds(
  tx: Tx,
  project: string,
  work: Pick<ProjectContent, 'documents' | 'policies' | 'services'>,
): Promise<IdMapping[]> {
  const map: IdMapping[] = [];
  for (const [version, items] of Map.groupBy(work.documents, ({ body }) => body.version)) {
    const rows = await findDocuments(
      tx,
      { project, version },
      items.map(({ body }) => body),
    );
    const ids = new Map(rows.map((row) => [`${row.collection}/${row.name}`, row.id]));
    for (const { from, body } of items) {
      const to = ids.get(`${body.collection}/${body.name}`);
      if (to !== undefined) map.push({ kind: 'documents', name: nameDocument(body), from, to });
    }
  }
  const named = [
    [
      'policies',
      work.policies,
      await findPolicies(
        tx,
        project,
        work.policies.map(({ body }) => body.name),
      ),
    ],
    [
      'services',
      work.services,
      await findServices(
        tx,
        project,
        work.services.map(({ body }) => body.name),
      ),
    ],
  ] as const;
  for (const [kind, items, rows] of named) {
    const ids = new Map(rows.map(({ id, name }) => [name, id]));
    for (const { from, body } of items) {
      const to = ids.get(body.name);
      if (to !== undefined) map.push({ kind, name: body.name, from, to });
    }
  }
  return map;
}

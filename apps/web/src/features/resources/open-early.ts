import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo } from 'react';
import { questionOf, routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import type { CollectionName } from '../../shell/destinations.ts';
import { COLLECTION_TYPES } from './collections.ts';
import type { DocumentRow } from './rows.ts';
import { useSchemas } from './schema-store.ts';

/** Messages of that many kinds are fetched with a list; the others when a row is pointed at. */
const KINDS_MAX = 3;

/** What the page of a document asks for. */
export function documentQuestion(project: string, { collection, version, name }: Named) {
  const asked = { params: { collection: collection as CollectionName, name }, query: { project, version } };
  return questionOf(routes.xds.get, asked, ['document']);
}

interface Named {
  readonly collection: string;
  readonly version: string;
  readonly name: string;
}

/**
 * While somebody reads a list: the page that its rows open and what their messages are. The answer is to be called when one
 * is about to be opened. What fails here is asked for again by the page, which tells.
 */
export function useOpenEarly(rows: readonly DocumentRow[]): (row: DocumentRow) => void {
  const client = useQueryClient();
  const project = useProject().id;
  const openSchema = useSchemas();
  const kinds = useMemo(() => {
    const all = rows.map(({ version, type }) => `${version} ${type}`);
    return [...new Set(all)].slice(0, KINDS_MAX).join('\n');
  }, [rows]);
  useEffect(() => {
    if (kinds === '') return;
    import('./resource-page.tsx').catch(() => undefined);
    for (const kind of kinds.split('\n')) {
      const [version = '', type = ''] = kind.split(' ');
      openSchema(version)
        .load(type)
        .catch(() => undefined);
    }
  }, [kinds, openSchema]);
  return useCallback(
    (row) => {
      void client.prefetchQuery(documentQuestion(project, row));
      openSchema(row.version)
        .load(row.type)
        .catch(() => undefined);
    },
    [client, project, openSchema],
  );
}

/** Beside the question for the document itself, where its collection tells what it is. */
export function useEarlySchema(collection: string, version: string): void {
  const openSchema = useSchemas();
  const type = COLLECTION_TYPES[collection];
  useEffect(() => {
    if (type === undefined) return;
    openSchema(version)
      .load(type)
      .catch(() => undefined);
  }, [openSchema, version, type]);
}

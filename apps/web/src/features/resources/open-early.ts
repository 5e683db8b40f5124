import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo } from 'react';
import { questionOf, routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import type { CollectionName } from './collection-texts.ts';
import { COLLECTION_TYPES } from './collections.ts';
import type { DocumentRow } from './rows.ts';
import { useSchemas } from './schema-store.ts';

/** Maximum number of message types that are prefetched with a list; the others are loaded when a row is hovered. */
const KINDS_MAX = 3;

/** Returns the query of the page of a document. */
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
 * Prefetches, while a list is shown, the page that its rows open and their message types. Returns a function to call when a row is about to
 * be opened. The page retries and reports what fails here.
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

/** Loads the schema in parallel to the document, if its collection determines its type. */
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

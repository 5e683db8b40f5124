import type { Collection, Document } from '@flotilla/contract';
import { stringify } from 'yaml';

export interface NamedDocument {
  readonly collection: Collection;
  readonly name: string;
  readonly version: string;
}

type Content = Pick<Document, 'type' | 'description' | 'labels' | 'resource' | 'private'>;

/** A document as a file that can be applied; what is private is told and not shown. */
export function renderDocument(
  { collection, name, version }: NamedDocument,
  { type, description, labels, resource, private: kept }: Content,
): string {
  const shown = {
    collection,
    name,
    version,
    type,
    ...(description !== null && { description }),
    ...(Object.keys(labels).length > 0 && { labels }),
    resource,
  };
  const told = kept.map(({ path }) => `# ${path} is set and not shown; it is kept when this is applied\n`);
  return told.join('') + stringify(shown);
}

/** A service as a file that can be applied, by the document of one of its revisions. */
export function renderService(document: Readonly<Record<string, unknown>>): string {
  return stringify({ kind: 'Service', ...document });
}

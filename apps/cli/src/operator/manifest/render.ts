import type { Collection, Document } from '@flotilla/contract';
import { stringify } from 'yaml';

export interface NamedDocument {
  readonly collection: Collection;
  readonly name: string;
  readonly version: string;
}

type Content = Pick<Document, 'type' | 'description' | 'labels' | 'resource' | 'private'>;

/** Renders a document as a file that can be applied. A comment names each private value instead of showing it. */
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
  const comments = kept.map(({ path }) => `# ${path} is set and not shown; it is kept when this is applied\n`);
  return comments.join('') + stringify(shown);
}

/** Renders a revision of a service as a file that can be applied. */
export function renderService(document: Readonly<Record<string, unknown>>): string {
  return stringify({ kind: 'Service', ...document });
}

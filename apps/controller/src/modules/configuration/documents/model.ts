import { isDeepStrictEqual } from 'node:util';
import {
  type Change,
  type Collection,
  type Document,
  type documentSummarySchema,
  judgeCertificateEnd,
} from '@flotilla/contract';
import type { Violation } from '@flotilla/kit';
import type * as z from 'zod';
import type { PrivatePart } from '../../../platform/json/join-private.ts';
import { describeComments } from './comments.ts';
import { diffJson } from './diff.ts';
import type { DocumentContent, DocumentRow } from './store.ts';
import type { PrivateEntry } from './tables.ts';

export function toSummary(
  row: Omit<DocumentRow, 'resource' | 'sealed' | 'private' | 'comments' | 'host_access' | 'facts'>,
): z.infer<typeof documentSummarySchema> {
  return {
    id: row.id,
    collection: row.collection as Document['collection'],
    name: row.name,
    version: row.version,
    project: row.project_id,
    type: row.type,
    description: row.description,
    labels: row.labels,
    revision: row.revision,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    updated_by: row.updated_by,
    certificate_ends_at: row.certificate_ends_at?.toISOString() ?? null,
  };
}

/** Singular name of a collection: `virtual host`. */
export function describeKind(collection: Collection | 'services' | 'policies'): string {
  return collection.replaceAll('_', ' ').replace(/ies$/, 'y').replace(/s$/, '');
}

/** Description for errors: documents exist per proxy version, services and policies once per project. */
export function describeDocument(
  { collection, name }: { readonly collection: Collection | 'services' | 'policies'; readonly name: string },
  version: string,
) {
  const isDocument = collection !== 'services' && collection !== 'policies';
  return { kind: describeKind(collection), name: isDocument ? `${name} for Envoy ${version}` : name };
}

/** The API view, without private values. */
export function toDocument(row: DocumentRow, warnings?: readonly Violation[]): Document {
  return {
    ...toSummary(row),
    resource: row.resource,
    private: row.private.map(toPrivate),
    comments: row.comments,
    ...(warnings && warnings.length > 0 && { warnings: [...warnings] }),
  };
}

export function toPrivate({ path, updated_at }: PrivateEntry) {
  return { path: `resource.${path}`, set: true as const, updated_at };
}

/** Warns of expired certificates, which Envoy accepts. */
export function warnOfCertificate({ certificate_ends_at: endsAt }: DocumentRow, now: Date): Violation[] {
  const state = endsAt ? judgeCertificateEnd(endsAt, now) : 'valid';
  if (!endsAt || state === 'valid') return [];
  const day = endsAt.toISOString().slice(0, 10);
  const message = `holds a certificate that ${state === 'ended' ? 'ended' : 'ends'} on ${day}`;
  return [{ path: 'resource', rule: `certificate.${state}`, message }];
}

export interface Stored {
  readonly content: Pick<DocumentContent, 'type' | 'description' | 'labels' | 'visible' | 'comments'>;
  readonly parts: readonly PrivatePart[];
}

/** The time of the last change of each private value; unchanged values keep theirs. */
export function stampParts(
  parts: readonly PrivatePart[],
  before: { parts: readonly PrivatePart[]; entries: readonly PrivateEntry[] } | undefined,
  now: Date,
): PrivateEntry[] {
  return parts.map(({ path, value }) => {
    const same = before?.parts.some((part) => part.path === path && isDeepStrictEqual(part.value, value));
    const entry = same ? before?.entries.find((one) => one.path === path) : undefined;
    return { path, updated_at: entry?.updated_at ?? now.toISOString() };
  });
}

/** Readable changes of a write. Private values are named but never shown. */
export function describeChanges(before: Stored | undefined, after: Stored | undefined): Change[] {
  const shown = (stored: Stored | undefined) =>
    stored && {
      type: stored.content.type,
      description: stored.content.description,
      labels: stored.content.labels,
      resource: stored.content.visible,
      ...(stored.content.comments.length > 0 && { comments: describeComments(stored.content.comments) }),
    };
  const changes = diffJson(shown(before), shown(after));
  const paths = new Set([...(before?.parts ?? []), ...(after?.parts ?? [])].map(({ path }) => path));
  for (const path of paths) {
    const old = before?.parts.find((part) => part.path === path);
    const now = after?.parts.find((part) => part.path === path);
    if (isDeepStrictEqual(old?.value, now?.value)) continue;
    changes.push({ path: `resource.${path}`, change: !old ? 'added' : !now ? 'removed' : 'changed' });
  }
  return changes;
}

import { isDeepStrictEqual } from 'node:util';
import { type Change, failDocument } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import type { EnvoyApi, JsonObject } from '@flotilla/envoy-api';
import { createId } from '@flotilla/kit';
import { joinPrivate, type PrivatePart } from '../../../platform/json/join-private.ts';
import type { Keyring } from '../../../platform/keyring/index.ts';
import type { WrittenDocument } from './batch.ts';
import { checkDraft } from './checks.ts';
import { placeComments } from './comments.ts';
import { describeChanges, type Stored, stampParts } from './model.ts';
import { decryptParts, dropExposed, encryptParts, keepPrivate } from './private-parts.ts';
import { replaceNames, replaceReferences } from './reference-store.ts';
import {
  type DocumentKey,
  type DocumentRow,
  insertDocument,
  type Scope,
  updateDocument,
  type Writer,
} from './store.ts';
import type { CommentEntry } from './tables.ts';

/** The wanted state of a document. `resource` is derived from the stored one and includes private values. */
export interface DocumentInput {
  readonly type: string | undefined;
  readonly description: string | null;
  readonly labels: Record<string, string>;
  /** undefined: keep the stored comments while the resource is unchanged. */
  readonly comments: readonly CommentEntry[] | undefined;
  readonly resource: JsonObject;
  /** The part of the resource that the caller sent. */
  readonly written: JsonObject;
  /** Whether private values that `resource` omits are kept. */
  readonly keepsPrivate: boolean;
}

export interface WriteOptions extends Writer {
  readonly api: EnvoyApi;
  readonly keyring: Keyring;
}

export interface WriteResult extends WrittenDocument {
  readonly row: DocumentRow;
  readonly outcome: 'created' | 'changed' | 'unchanged';
  readonly changes: readonly Change[];
  /** Names that the document defined before and does not define any more. */
  readonly lostNames: readonly DocumentKey[];
}

/** A stored document with decrypted private values, for writes and snapshots only. */
export interface OpenedDocument extends Stored {
  readonly row: DocumentRow;
}

export function openDocument(keyring: Keyring, row: DocumentRow): OpenedDocument {
  const content = {
    type: row.type,
    description: row.description,
    labels: row.labels,
    visible: row.resource as JsonObject,
    comments: row.comments,
  };
  return { row, content, parts: decryptParts(keyring, row.id, row.sealed) };
}

export function fullResource({
  content,
  parts,
}: {
  content: { visible: JsonObject };
  parts: readonly PrivatePart[];
}): JsonObject {
  return joinPrivate(content.visible, parts);
}

interface DocumentChange {
  readonly before: OpenedDocument | undefined;
  readonly wanted: DocumentInput;
  readonly options: WriteOptions;
}

/** Checks and stores one document with its names and references. `checkBatch` checks references to others. */
export async function writeDocument(
  tx: Tx,
  scope: Scope,
  key: DocumentKey,
  change: DocumentChange,
): Promise<WriteResult> {
  const { before, wanted, options } = change;
  const { collection, name } = key;
  if (before && wanted.type !== undefined && wanted.type !== before.row.type) {
    throw failDocument('document.identity', { field: 'type' }, { details: [identityDetail('type', before.row.type)] });
  }
  const type = wanted.type ?? before?.row.type;
  const resource = completeResource(change);
  const checked = checkDraft(options.api, { collection, name, version: scope.version, type, resource }, options);
  const id = before?.row.id ?? createId(options.stamp.at.getTime());
  const content = {
    type: checked.type,
    description: wanted.description,
    labels: wanted.labels,
    visible: checked.visible,
    sealed: encryptParts(options.keyring, id, checked.parts),
    private: stampParts(
      checked.parts,
      before && { parts: before.parts, entries: before.row.private },
      options.stamp.at,
    ),
    comments: placeComments(checked.visible, wanted.comments ?? keptComments(before, checked.visible)),
  };
  const after: Stored = { content, parts: checked.parts };
  // An owner who saves someone else's document becomes responsible for its host access.
  const isApproved = checked.usesHost && options.mayReachHost && before?.row.host_access === false;
  if (before && isSame(before, after) && !isApproved) {
    const unchanged = { outcome: 'unchanged', changes: [], lostNames: [], referredBefore: checked.references } as const;
    return { collection, name, id, checked, row: before.row, ...unchanged };
  }
  const row = before
    ? await updateDocument(tx, { id, collection, content }, options)
    : await insertDocument(tx, { ...scope, collection, name, id, content }, options);
  const referredBefore = await replaceReferences(tx, { ...scope, id, collection, name }, checked.references);
  const lostNames = await replaceNames(tx, { ...scope, id }, checked.defines);
  const changes: Change[] = [
    ...describeChanges(before, after),
    ...(isApproved ? [{ path: 'host_access', change: 'changed', before: false, after: true } as const] : []),
  ];
  const outcome = before ? 'changed' : 'created';
  return { collection, name, id, checked, row, outcome, changes, lostNames, referredBefore };
}

/** The resource to store: private values that the writer left out are added again. */
function completeResource({ before, wanted, options }: DocumentChange): JsonObject {
  const { resource, written } = wanted;
  if (!before) return resource;
  const full = wanted.keepsPrivate
    ? keepPrivate(resource, { visible: before.content.visible, parts: before.parts })
    : resource;
  return dropExposed(options.api, { type: before.row.type, full, written }, before.parts);
}

/** Keeps the comments of a writer who sent none, unless the resource changed: they may be wrong then. */
function keptComments(before: OpenedDocument | undefined, visible: JsonObject): readonly CommentEntry[] {
  return before && isDeepStrictEqual(before.content.visible, visible) ? before.content.comments : [];
}

function isSame(before: Stored, after: Stored): boolean {
  return (
    before.content.description === after.content.description &&
    isDeepStrictEqual(before.content.labels, after.content.labels) &&
    isDeepStrictEqual(before.content.comments, after.content.comments) &&
    isDeepStrictEqual(before.parts, after.parts) &&
    // Compared as text, because a writer may change the order of the members.
    JSON.stringify(before.content.visible) === JSON.stringify(after.content.visible)
  );
}

function identityDetail(path: string, value: string) {
  return { path, rule: 'identity', message: `is ${value}` };
}

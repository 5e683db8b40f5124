import { isDeepStrictEqual } from 'node:util';

import { type Change, failDocument } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import type { EnvoyApi, JsonObject } from '@flotilla/envoy-api';
import { createId } from '@flotilla/kit';
import type { Keyring } from '../keyring/index.ts';
import type { WrittenDocument } from './batch.ts';
import { checkDraft } from './checks.ts';
import { describeChanges, type Stored, stampParts } from './model.ts';
import { dropExposed, joinPrivate, keepPrivate, type PrivatePart, sealParts, unsealParts } from './private-parts.ts';
import { replaceNames, replaceReferences } from './reference-store.ts';
import {
  type DocumentKey,
  type DocumentRow,
  insertDocument,
  type Scope,
  updateDocument,
  type WriteStamp,
} from './store.ts';

/** What somebody wants a document to be. `resource` is computed from what is there, private values included. */
export interface WantedDocument {
  readonly type: string | undefined;
  readonly description: string | null;
  readonly labels: Record<string, string>;
  readonly resource: JsonObject;
  /** The part of it that the caller sent. */
  readonly written: JsonObject;
  /** Whether private values that `resource` leaves out are kept. */
  readonly keepsPrivate: boolean;
}

export interface WriteOptions {
  readonly api: EnvoyApi;
  readonly keyring: Keyring;
  readonly mayReachHost: boolean;
  readonly stamp: WriteStamp;
}

export interface WriteResult extends WrittenDocument {
  readonly row: DocumentRow;
  readonly outcome: 'created' | 'changed' | 'unchanged';
  readonly changes: readonly Change[];
  /** Names that the document gave and gives no more. */
  readonly lostNames: readonly DocumentKey[];
}

/** A stored document with its private values: for writes and snapshots only. */
export interface OpenedDocument extends Stored {
  readonly row: DocumentRow;
}

export function openDocument(keyring: Keyring, row: DocumentRow): OpenedDocument {
  const content = {
    type: row.type,
    description: row.description,
    labels: row.labels,
    visible: row.resource as JsonObject,
  };
  return { row, content, parts: unsealParts(keyring, row.id, row.sealed) };
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

/** Checks and stores one document with its names and references. References to others are checked by `checkBatch`. */
export async function writeDocument(
  tx: Tx,
  scope: Scope,
  key: DocumentKey,
  change: { before: OpenedDocument | undefined; wanted: WantedDocument; options: WriteOptions },
): Promise<WriteResult> {
  const { before, wanted, options } = change;
  const { collection, name } = key;
  if (before && wanted.type !== undefined && wanted.type !== before.row.type) {
    throw failDocument('document.identity', { field: 'type' }, { details: [identityDetail('type', before.row.type)] });
  }
  const type = wanted.type ?? before?.row.type;
  const full =
    before && wanted.keepsPrivate
      ? keepPrivate(wanted.resource, { visible: before.content.visible, parts: before.parts })
      : wanted.resource;
  const resource = before
    ? dropExposed(options.api, { type: before.row.type, full, written: wanted.written }, before.parts)
    : full;
  const checked = checkDraft(options.api, { collection, name, version: scope.version, type, resource }, options);
  const id = before?.row.id ?? createId(options.stamp.at.getTime());
  const content = {
    type: checked.type,
    description: wanted.description,
    labels: wanted.labels,
    visible: checked.visible,
    sealed: sealParts(options.keyring, id, checked.parts),
    private: stampParts(
      checked.parts,
      before && { parts: before.parts, entries: before.row.private },
      options.stamp.at,
    ),
  };
  const after: Stored = { content, parts: checked.parts };
  if (before && isSame(before, after)) {
    const result = {
      collection,
      name,
      id,
      checked,
      row: before.row,
      outcome: 'unchanged',
      changes: [],
      lostNames: [],
      referredBefore: checked.references,
    } as const;
    return result;
  }
  const row = before
    ? await updateDocument(tx, id, content, options.stamp)
    : await insertDocument(tx, { ...scope, collection, name, id, content }, options.stamp);
  const referredBefore = await replaceReferences(tx, { ...scope, id, collection, name }, checked.references);
  const lostNames = await replaceNames(tx, { ...scope, id }, checked.defines);
  const changes = describeChanges(before, after);
  return {
    collection,
    name,
    id,
    checked,
    row,
    outcome: before ? 'changed' : 'created',
    changes,
    lostNames,
    referredBefore,
  };
}

function isSame(before: Stored, after: Stored): boolean {
  return (
    before.content.description === after.content.description &&
    isDeepStrictEqual(before.content.labels, after.content.labels) &&
    isDeepStrictEqual(before.parts, after.parts) &&
    // As text: the order in which somebody wrote the members is theirs to change.
    JSON.stringify(before.content.visible) === JSON.stringify(after.content.visible)
  );
}

function identityDetail(path: string, value: string) {
  return { path, rule: 'identity', message: `is ${value}` };
}

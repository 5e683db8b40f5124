import { fail, failDocument } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import type { AppError } from '@flotilla/kit';
import { type DocumentReference, describeSlot, fitsSlot } from '@flotilla/translate';
import { listReached, type Reader } from '../../../platform/auth/index.ts';
import type { CheckedDraft } from './checks.ts';
import { describeKind } from './model.ts';
import { findRefProblem } from './ref-graph.ts';
import { findDangling, findUnusable, findUsers, loadRefGraph, type User } from './reference-store.ts';
import { type DocumentKey, findDocuments, type Scope } from './store.ts';

/** A document as the transaction leaves it. */
export interface WrittenDocument extends DocumentKey {
  readonly id: string;
  readonly checked: CheckedDraft;
  /** Its references before this write. */
  readonly referredBefore: readonly { readonly collection: string; readonly name: string }[];
}

export interface Batch {
  readonly written: readonly WrittenDocument[];
  /** Names that documents defined before the write and do not define any more. */
  readonly lostNames: readonly DocumentKey[];
  /** undefined: the writer may access everything. */
  readonly reader: Reader | undefined;
}

export interface BatchProblem {
  /** undefined for a deleted document or a lost name. */
  readonly id: string | undefined;
  readonly error: AppError;
}

/**
 * Finds problems that only the whole batch shows: missing targets, deleted names that are still used, cycles and wrong
 * types of `$ref`s. Runs in the writing transaction under the scope's lock; throwing the problems rolls the batch back.
 */
export async function checkBatch(tx: Tx, scope: Scope, { written, lostNames, reader }: Batch): Promise<BatchProblem[]> {
  const problems: BatchProblem[] = [];
  const ids = written.map(({ id }) => id);
  const missing = [
    ...(await findDangling(tx, ids)),
    // A document that exists but may not be used gets the same error as a missing one, so that nothing is revealed.
    ...(reader ? await findUnusable(tx, reader, written) : []),
  ];
  const reported = new Set<string>();
  for (const { from_id, path, to_collection, to_name } of missing) {
    const place = `${from_id} ${path}`;
    if (reported.has(place)) continue;
    reported.add(place);
    problems.push({ id: from_id, error: failMissing(path, `${to_collection}/${to_name}`) });
  }
  if (reader && problems.length > 0) return problems;
  problems.push(...(await checkLostNames(tx, scope, lostNames, reader)));
  problems.push(...(await checkSlots(tx, scope, written)));
  const keys = new Map(written.map((document) => [`${document.collection}/${document.name}`, document.id]));
  const ref = findRefProblem(await loadRefGraph(tx, scope, ids), keys.keys());
  if (ref) {
    const id = ref.kind === 'cycle' ? ref.trail.map((key) => keys.get(key)).find(Boolean) : keys.get(ref.key);
    const error =
      ref.kind === 'cycle'
        ? failDocument('reference.cycle', { cycle: ref.trail.join(' -> ') })
        : failDocument('reference.invalid', {
            path: ref.key,
            reason: ref.kind === 'depth' ? 'its references lead too deep' : 'its references grow too large',
          });
    problems.push({ id: id ?? ids[0], error });
  }
  return problems;
}

export function failMissing(path: string, target: string): AppError {
  return failDocument(
    'reference.missing',
    { path, target },
    { details: [{ path, rule: 'reference.missing', message: `${target} does not exist` }], extra: { missing: target } },
  );
}

async function checkLostNames(
  tx: Tx,
  scope: Scope,
  lost: readonly DocumentKey[],
  reader: Reader | undefined,
): Promise<BatchProblem[]> {
  const users = await findUsers(tx, scope, lost, { unlessNamed: true });
  const seen = reader ? await listSeenUsers(tx, reader, users) : undefined;
  return lost.flatMap(({ collection, name }) => {
    const own = users.filter(({ uses }) => uses === `${collection}/${name}`).map(({ uses: _, ...user }) => user);
    if (own.length === 0) return [];
    const shown = own.filter(({ id }) => seen?.has(id) !== false);
    const extra = { collection, name, version: scope.version, users: shown };
    const error = fail('record.in_use', { kind: describeKind(collection), name }, { extra });
    return [{ id: undefined, error }];
  });
}

async function listSeenUsers(tx: Tx, reader: Reader, users: readonly User[]): Promise<Set<string>> {
  const idsOf = (kind: 'services' | 'documents') =>
    users.filter(({ collection }) => (collection === 'services') === (kind === 'services')).map(({ id }) => id);
  const [services, documents] = [
    await listReached(tx, reader, { kind: 'service', ids: idsOf('services'), level: 'view' }),
    await listReached(tx, reader, { kind: 'document', ids: idsOf('documents'), level: 'view' }),
  ];
  return new Set([...services, ...documents]);
}

/** A network filter cannot be used where Envoy expects an HTTP filter. */
async function checkSlots(tx: Tx, scope: Scope, written: readonly WrittenDocument[]): Promise<BatchProblem[]> {
  const slots = written.flatMap(({ id, checked }) =>
    checked.references.flatMap((reference) => (reference.slot === undefined ? [] : [{ id, reference }])),
  );
  const keys = new Map(slots.map(({ reference }) => [`${reference.collection}/${reference.name}`, reference]));
  const targets = await findDocuments(tx, scope, [...keys.values()]);
  const types = new Map(targets.map((row) => [`${row.collection}/${row.name}`, row.type]));
  return slots.flatMap(({ id, reference }) => {
    const type = types.get(`${reference.collection}/${reference.name}`);
    if (type === undefined || fitsSlot(reference.slot ?? '', type)) return [];
    return [{ id, error: failMisfit(reference, type) }];
  });
}

function failMisfit({ path, collection, name, slot = '' }: DocumentReference, type: string): AppError {
  const reason = `${collection}/${name} is ${type}, and ${slot} takes ${describeSlot(slot)}`;
  return failDocument(
    'reference.invalid',
    { path, reason },
    { details: [{ path, rule: 'reference.slot', message: reason }] },
  );
}

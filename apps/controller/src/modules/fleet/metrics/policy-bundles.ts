import type { Db } from '@flotilla/db';
import { digestBundle } from '@flotilla/policy';
import type { Keyring } from '../../../platform/keyring/index.ts';
import { findPolicies, hasSharedLimit, listEdgesFiles, openFiles, toBundleFiles } from '../../configuration/public.ts';
import { readEarlier, type StoredText } from './policy-node-store.ts';

/** One revision of a policy including secrets, only for computing digests. */
interface Text extends Omit<StoredText, 'files'> {
  readonly files: ReturnType<typeof openFiles>;
}

/** The revision of the requested policy in a bundle. */
export interface Found {
  readonly current: boolean;
  /** null: the policy is not in it. */
  readonly revision: number | null;
}

/** The recognised bundles of a service's policies. */
export interface KnownBundles {
  readonly wanted: string;
  readonly byDigest: ReadonlyMap<string, Found>;
}

/** Number of earlier revisions to try, of the policy and of each other policy of the service. */
const REVISIONS_TRIED = 20;
const OTHERS_TRIED = 5;
/** Per answer, all services together: reading this much takes a few hundred milliseconds at most. */
const TRIED_MAX_BYTES = 64 * 1024 * 1024;

/** The remaining size that may be read to recognise live bundles; one per answer. */
export function createBudget(): { bytesLeft: number } {
  return { bytesLeft: TRIED_MAX_BYTES };
}

/** Builds bundles until all live ones are recognised or nothing is left to try. */
export async function findBundles(
  { db, keyring }: { readonly db: Db; readonly keyring: Keyring },
  service: { readonly projectId: string; readonly name: string; readonly policies: readonly string[] },
  { live, budget }: { readonly live: ReadonlySet<string>; readonly budget: { bytesLeft: number } },
): Promise<KnownBundles> {
  const rows = await findPolicies(db, service.projectId, service.policies);
  const newest: Text[] = rows.map((row) => {
    const { name, revision, digest, text } = row;
    return { name, revision, digest, text, files: openFiles(keyring, row) };
  });
  // Earlier revisions are combined with the current number of proxies; bundles with another number stay unknown.
  const sharing = newest.filter(hasSharedLimit).map(({ name }) => name);
  const edges = await listEdgesFiles(db, service.projectId, sharing);
  const digestOf = (texts: readonly Text[]) => digestBundle([...toBundleFiles(texts), ...edges]);
  const wanted = digestOf(newest);
  const own = newest.find(({ name }) => name === service.name);
  const byDigest = new Map<string, Found>([[wanted, { current: true, revision: own?.revision ?? null }]]);
  const isDone = () => [...live].every((digest) => byDigest.has(digest));
  if (isDone() || !own) return { wanted, byDigest };
  const others = newest.filter(({ name }) => name !== service.name);
  const earlier = new Map<string, Text[]>();
  const isOwn = (row: { readonly name: string }) => row.name === service.name;
  for (const row of rows.toSorted((a, b) => Number(isOwn(b)) - Number(isOwn(a)))) {
    const count = isOwn(row) ? REVISIONS_TRIED : OTHERS_TRIED;
    // Keeps half of the budget for building bundles.
    const stored = await readEarlier(db, row, { count, maxBytes: Math.floor(budget.bytesLeft / 2) });
    const texts = stored.map((text) => ({ ...text, files: openFiles(keyring, { id: row.id, files: text.files }) }));
    budget.bytesLeft -= sizeOf(texts);
    earlier.set(row.name, texts);
  }
  for (const surroundings of vary(others, earlier)) {
    for (const text of [own, ...(earlier.get(own.name) ?? []), undefined]) {
      const bundle = text ? [text, ...surroundings] : surroundings;
      budget.bytesLeft -= sizeOf(bundle);
      if (budget.bytesLeft < 0 || isDone()) return { wanted, byDigest };
      const digest = digestOf(bundle);
      // A policy that was changed and changed back counts as current.
      const isCurrent = text?.digest === own.digest;
      const found = { current: isCurrent, revision: isCurrent ? own.revision : (text?.revision ?? null) };
      if (!byDigest.has(digest)) byDigest.set(digest, found);
    }
  }
  return { wanted, byDigest };
}

/** The other policies as they are, then with one of them at an earlier revision or missing. */
function* vary(others: readonly Text[], earlier: ReadonlyMap<string, readonly Text[]>): Generator<readonly Text[]> {
  yield others;
  for (const [i, other] of others.entries()) {
    for (const text of earlier.get(other.name) ?? []) yield others.with(i, text);
    yield others.toSpliced(i, 1);
  }
}

function sizeOf(bundle: readonly Text[]): number {
  const sizes = bundle.map(({ text, files }) =>
    files.reduce((sum, { content_base64 }) => sum + content_base64.length, text.length),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

import type { AuditVerdict } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { hashEntry, hashLink, NO_HASH, NO_PROJECT } from './canonical.ts';
import { type ChainEnd, type Link, readLinks, readTails, readWaiting, type Waiting } from './chain-store.ts';
import { readHeads, readPublicKeys, type SignedHead } from './checkpoint-store.ts';
import { isSignedBy } from './signer.ts';

const BATCH = 5000;
/** Sealing takes a fraction of a second; an entry that waits longer than this was kept from it. */
const UNSEALED_MAX_MS = 5 * 60_000;

type FirstBad = NonNullable<AuditVerdict['first_bad']>;

export interface VerifyOptions {
  /** Undefined: all chains. */
  readonly projectId: string | undefined;
  /** Heads that were kept outside of the database, by project key. */
  readonly keptHeads: ReadonlyMap<string, SignedHead>;
  readonly now: Date;
}

/** Recomputes every entry and link of the chains, and holds them against what was signed. One verdict for each chain. */
export async function verifyChains(db: Db, { projectId, keptHeads, now }: VerifyOptions): Promise<AuditVerdict[]> {
  const keys =
    projectId === undefined
      ? [...new Set([NO_PROJECT, ...(await readTails(db)).keys(), ...keptHeads.keys()])]
      : [projectId];
  const publicKeys = await readPublicKeys(db);
  const verdicts: AuditVerdict[] = [];
  for (const key of keys) verdicts.push(await verifyChain(db, key, { publicKeys, kept: keptHeads.get(key), now }));
  return verdicts;
}

async function verifyChain(
  db: Db,
  projectKey: string,
  of: { readonly publicKeys: ReadonlyMap<string, string>; readonly kept: SignedHead | undefined; readonly now: Date },
): Promise<AuditVerdict> {
  const projectId = projectKey === NO_PROJECT ? null : projectKey;
  const stored = await readHeads(db, projectKey);
  const heads = [...stored, ...(of.kept ? [of.kept] : [])].sort((a, b) => a.seq - b.seq);
  const chain = await walk(db, projectKey, heads, of.publicKeys);
  const waiting = await readWaiting(db, projectKey);
  const bad = chain.bad ?? findUnsealed(waiting, of.now);
  return {
    project: projectId,
    ok: bad === null,
    first_bad: bad,
    checked: chain.checked,
    sealed_to: chain.end.seq === 0 ? null : { seq: chain.end.seq, hash: chain.end.hash.toString('hex') },
    unsealed: waiting.count,
    oldest_unsealed_at: waiting.oldestAt?.toISOString() ?? null,
    checkpoints: stored.length,
    pruned: null,
    key_ids: [...new Set(heads.map(({ keyId }) => keyId))],
  };
}

async function walk(
  db: Db,
  projectKey: string,
  heads: readonly SignedHead[],
  publicKeys: ReadonlyMap<string, string>,
): Promise<{ checked: number; end: ChainEnd; bad: FirstBad | null }> {
  const forged = heads.find((head) => !isGenuine(head, publicKeys));
  if (forged) return { checked: 0, end: { seq: 0, hash: NO_HASH }, bad: describeHead('forged_checkpoint', forged) };
  let end: ChainEnd = { seq: 0, hash: NO_HASH };
  let checked = 0;
  let next = 0;
  for (;;) {
    const links = await readLinks(db, projectKey, { after: end.seq, limit: BATCH });
    for (const link of links) {
      const bad = checkLink(projectKey, end, link);
      if (bad) return { checked, end, bad };
      end = { seq: link.seq, hash: link.hash };
      checked += 1;
      for (let head = heads[next]; head && head.seq === link.seq; next += 1, head = heads[next]) {
        if (!head.hash.equals(link.hash)) return { checked, end, bad: describeHead('rewritten', head) };
      }
    }
    if (links.length < BATCH) break;
  }
  const missed = heads[next];
  return { checked, end, bad: missed ? describeHead('cut', missed) : null };
}

function checkLink(projectKey: string, before: ChainEnd, link: Link): FirstBad | null {
  const seq = before.seq + 1;
  if (link.seq !== seq) {
    const message = `Number ${seq} of the chain is gone: after ${before.seq} comes ${link.seq}.`;
    return { kind: 'missing', seq, entry_id: null, at: null, message };
  }
  const of = { seq, entry_id: link.entry_id, at: link.entry?.at ?? null };
  if (!link.entry) return { ...of, kind: 'missing', message: `Entry ${link.entry_id} was sealed and is gone.` };
  if (!hashEntry(link.entry).equals(link.entry_hash))
    return { ...of, kind: 'edited', message: `Entry ${link.entry_id} is not what was sealed.` };
  if (!hashLink(projectKey, before.hash, seq, link.entry_hash).equals(link.hash))
    return { ...of, kind: 'moved', message: `Entry ${link.entry_id} was not sealed at number ${seq}.` };
  return null;
}

function isGenuine(head: SignedHead, publicKeys: ReadonlyMap<string, string>): boolean {
  const publicKey = publicKeys.get(head.keyId);
  return publicKey !== undefined && isSignedBy(publicKey, head, head.signature);
}

const HEAD_MESSAGES = {
  cut: 'The chain ends before number {seq}, which was sealed and signed: its end was cut off.',
  rewritten:
    'The chain up to number {seq} is not the one that was signed: entries were changed and all links made anew.',
  forged_checkpoint: 'The checkpoint at number {seq} does not bear the signature of its key.',
} as const;

function describeHead(kind: keyof typeof HEAD_MESSAGES, { seq, at }: SignedHead): FirstBad {
  return {
    kind,
    seq,
    entry_id: null,
    at: at.toISOString(),
    message: HEAD_MESSAGES[kind].replace('{seq}', String(seq)),
  };
}

function findUnsealed({ first }: Waiting, now: Date): FirstBad | null {
  if (!first || (first.queued && now.getTime() - first.at.getTime() < UNSEALED_MAX_MS)) return null;
  const message = first.queued
    ? `Entry ${first.id} is in no chain yet, though it is older than five minutes.`
    : `Entry ${first.id} is in no chain and does not wait for one: it was not written by the controller.`;
  return { kind: 'unsealed', seq: null, entry_id: first.id, at: first.at.toISOString(), message };
}

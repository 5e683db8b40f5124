import type { AuditVerdict } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { hashEntry, hashLink, NO_HASH, NO_PROJECT } from './canonical.ts';
import { type ChainEnd, type Link, readLinks, readTails, readWaiting, type Waiting } from './chain-store.ts';
import { countHeads, readBase, readHeads, type SignedBase, type SignedHead } from './checkpoint-store.ts';
import { isSignedBy } from './signer.ts';

const BATCH = 5000;
/** Checkpoints whose signatures are checked in one go while other work waits. */
const HEADS_AT_ONCE = 200;
/** Sealing takes a fraction of a second; an entry that waits longer was prevented from being sealed. */
const UNSEALED_MAX_MS = 5 * 60_000;

type FirstBad = NonNullable<AuditVerdict['first_bad']>;

export interface VerifyOptions {
  /** undefined: all chains. */
  readonly projectId: string | undefined;
  /** Heads kept outside the database, by project key. */
  readonly keptHeads: ReadonlyMap<string, SignedHead>;
  /** Trusted public keys by id; those in the database are not used. */
  readonly trustedKeys: ReadonlyMap<string, string>;
  readonly now: Date;
}

/**
 * Recomputes every entry and link of the chains and compares them with the signed heads. Returns one verdict per chain.
 */
export async function verifyChains(db: Db, options: VerifyOptions): Promise<AuditVerdict[]> {
  const { projectId, keptHeads, trustedKeys, now } = options;
  const keys =
    projectId === undefined
      ? [...new Set([NO_PROJECT, ...(await readTails(db)).keys(), ...keptHeads.keys()])]
      : [projectId];
  const verdicts: AuditVerdict[] = [];
  for (const key of keys) verdicts.push(await verifyChain(db, key, { trustedKeys, kept: keptHeads.get(key), now }));
  return verdicts;
}

/** Attempts for a chain that is pruned during the verification; each starts at the new base. */
const TRIES_MAX = 10;

interface Trust {
  readonly trustedKeys: ReadonlyMap<string, string>;
  readonly kept: SignedHead | undefined;
  readonly now: Date;
}

async function verifyChain(db: Db, projectKey: string, of: Trust): Promise<AuditVerdict> {
  for (let tries = 1; ; tries += 1) {
    const base = await readBase(db, projectKey);
    const verdict = await verifyFrom(db, projectKey, base, of);
    // Entries pruned during the verification are not missing.
    if (verdict.ok || tries === TRIES_MAX || (await readBase(db, projectKey))?.seq === base?.seq) return verdict;
  }
}

async function verifyFrom(db: Db, projectKey: string, base: SignedBase | undefined, of: Trust): Promise<AuditVerdict> {
  const projectId = projectKey === NO_PROJECT ? null : projectKey;
  const signed = await countHeads(db, projectKey);
  const distrusted =
    (await findDistrusted(db, projectKey, of)) ?? (base && judgeSignature(base, of.trustedKeys, 'base'));
  const chain = distrusted
    ? { checked: 0, end: { seq: 0, hash: NO_HASH }, bad: distrusted }
    : await walk(db, projectKey, { kept: of.kept, base });
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
    checkpoints: signed.count,
    pruned: base ? { seq: base.seq, entries: base.entries, at: base.at.toISOString() } : null,
    key_ids: [...new Set([...signed.keyIds, ...(of.kept ? [of.kept.keyId] : [])])],
  };
}

async function walk(
  db: Db,
  projectKey: string,
  { kept, base }: { readonly kept: SignedHead | undefined; readonly base: SignedBase | undefined },
): Promise<{ checked: number; end: ChainEnd; bad: FirstBad | null }> {
  let end: ChainEnd = base ?? { seq: 0, hash: NO_HASH };
  let checked = 0;
  const readSigned = async (range: { after: number; upTo?: number; limit?: number }) => {
    const isKept = kept && kept.seq > range.after && kept.seq <= (range.upTo ?? kept.seq);
    const heads = await readHeads(db, projectKey, range);
    return (isKept ? [...heads, kept] : heads).sort((a, b) => a.seq - b.seq);
  };
  // Checkpoints of the pruned part cannot be compared with anything any more.
  const atBase = await readSigned({ after: end.seq - 1, upTo: end.seq });
  const wrongBase = atBase.find(({ hash }) => !hash.equals(end.hash));
  if (wrongBase) return { checked, end, bad: describeHead('rewritten', wrongBase) };
  let missed: SignedHead | undefined;
  for (;;) {
    const links = await readLinks(db, projectKey, { after: end.seq, limit: BATCH });
    // Reads once more after the signed part: the chain may have grown, and been signed, since the previous read.
    if (missed && links.length === 0) return { checked, end, bad: describeHead('cut', missed) };
    const heads = Map.groupBy(
      await readSigned({ after: end.seq, upTo: links.at(-1)?.seq ?? end.seq }),
      ({ seq }) => seq,
    );
    for (const link of links) {
      const bad = checkLink(projectKey, end, link);
      if (bad) return { checked, end, bad };
      end = { seq: link.seq, hash: link.hash };
      checked += 1;
      const rewritten = heads.get(link.seq)?.find(({ hash }) => !hash.equals(link.hash));
      if (rewritten) return { checked, end, bad: describeHead('rewritten', rewritten) };
    }
    if (links.length === BATCH) continue;
    [missed] = await readSigned({ after: end.seq, limit: 1 });
    if (!missed) return { checked, end, bad: null };
  }
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

/**
 * A kept head is trusted without a key, since only this controller writes the file; if its key is known, the signature
 * is checked too.
 */
async function findDistrusted(db: Db, projectKey: string, { trustedKeys, kept }: Trust): Promise<FirstBad | undefined> {
  let after = -1;
  for (;;) {
    const heads = await readHeads(db, projectKey, { after, limit: HEADS_AT_ONCE });
    for (const head of heads) {
      const bad = judgeSignature(head, trustedKeys, 'head');
      if (bad) return bad;
    }
    const last = heads.at(-1);
    if (!last || heads.length < HEADS_AT_ONCE) break;
    after = last.seq;
  }
  return kept && trustedKeys.has(kept.keyId) ? judgeSignature(kept, trustedKeys, 'head') : undefined;
}

function judgeSignature(
  head: SignedHead,
  trustedKeys: ReadonlyMap<string, string>,
  as: 'head' | 'base',
): FirstBad | undefined {
  const publicKey = trustedKeys.get(head.keyId);
  if (publicKey === undefined) return describeHead('unknown_key', head);
  return isSignedBy(publicKey, head, head.signature, as) ? undefined : describeHead('forged_checkpoint', head);
}

const HEAD_MESSAGES = {
  cut: 'The chain ends before number {seq}, which was sealed and signed: its end was cut off.',
  rewritten:
    'The chain up to number {seq} is not the one that was signed: entries were changed and all links were computed again.',
  forged_checkpoint: 'The checkpoint at number {seq} does not bear the signature of its key.',
  unknown_key:
    'The checkpoint at number {seq} is signed by key {key}, which this controller does not know. Of another controller of yours: put its public key into audit-trusted-keys.pem in the data folder, or give all controllers one key file.',
} as const;

function describeHead(kind: keyof typeof HEAD_MESSAGES, { seq, at, keyId }: SignedHead): FirstBad {
  return {
    kind,
    seq,
    entry_id: null,
    at: at.toISOString(),
    message: HEAD_MESSAGES[kind].replace('{seq}', String(seq)).replace('{key}', keyId),
  };
}

function findUnsealed({ first }: Waiting, now: Date): FirstBad | null {
  if (!first || (first.queued && now.getTime() - first.at.getTime() < UNSEALED_MAX_MS)) return null;
  const message = first.queued
    ? `Entry ${first.id} is in no chain yet, though it is older than five minutes.`
    : `Entry ${first.id} is in no chain and does not wait for one: it was not written by the controller.`;
  return { kind: 'unsealed', seq: null, entry_id: first.id, at: first.at.toISOString(), message };
}

import { Buffer } from 'node:buffer';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createId, createSilentLogger, systemClock } from '@flotilla/kit';
import type { TestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { recordAudit } from '../../../../platform/audit/record-store.ts';
import { createControllerDatabase } from '../../../../testing/database.ts';
import { insertHold, releaseHold } from '../hold-store.ts';
import { HeadsFile } from './heads-file.ts';
import { pruneChains } from './retention.ts';
import { Sealer } from './sealer.ts';
import { type HeadSigner, openHeadSigner, readTrustedKeys } from './signer.ts';
import { verifyChains } from './verify.ts';

let database: TestDatabase;
let folder: string;
let signer: HeadSigner;
let heads: HeadsFile;
let sealer: Sealer;
const [project, other] = [createId(), createId()];

beforeEach(async () => {
  database = await createControllerDatabase();
  folder = await mkdtemp(join(tmpdir(), 'flotilla-retention-'));
  signer = await openHeadSigner(join(folder, 'audit.key'));
  heads = new HeadsFile(join(folder, 'heads.ndjson'));
  sealer = new Sealer({ db: database.db, signer, heads, logger: createSilentLogger(), clock: systemClock });
  await sealer.start();
});
afterEach(async () => {
  await sealer.close();
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

/** Writes, seals and signs entries within one second of 2026-01. */
async function write(count: number, second: number, projectId: string | undefined = project): Promise<void> {
  for (let i = 0; i < count; i += 1)
    await recordAudit(database.db, {
      at: new Date(Date.UTC(2026, 0, 1, 0, 0, second, i)),
      actor: { kind: 'system', id: null, name: 'test' },
      actorRole: undefined,
      projectId,
      action: 'document.replace',
      outcome: 'done',
      status: 200,
    });
  await vi.waitFor(
    async () => {
      await sealer.sealAll();
      expect(await database.db.selectFrom('audit_unsealed').selectAll().execute()).toEqual([]);
    },
    { timeout: 90_000 },
  );
}

async function verify(of = project, db = database.db) {
  const trustedKeys = await readTrustedKeys(signer, join(folder, 'none.pem'));
  const keptHeads = await heads.readLast();
  const [verdict] = await verifyChains(db, { projectId: of, keptHeads, trustedKeys, now: new Date() });
  return verdict;
}

const left = (of = project) =>
  database.db.selectFrom('audit_log').select('action').where('project_id', '=', of).orderBy('at').execute();
const prune = (before = new Date()) => pruneChains({ db: database.db, signer }, { before, now: new Date() });

it('pruning deletes what was sealed before the time, leaves a signed base, and the rest still verifies', async () => {
  await write(5, 1);
  const between = new Date();
  await write(3, 2);
  await write(2, 1, other);
  expect(await prune(between)).toBe(5);
  expect(await left()).toHaveLength(3 + 1);
  expect(await left(other)).toHaveLength(2);
  await sealer.sealAll();
  expect(await verify()).toMatchObject({ ok: true, checked: 4, pruned: { seq: 5, entries: 5 } });
  expect(await prune(between)).toBe(0);
  const entry = (
    await database.db.selectFrom('audit_log').selectAll().where('action', '=', 'audit.prune').execute()
  )[0];
  expect(entry).toMatchObject({ project_id: project, actor_kind: 'system', changes: { entries: 5, up_to: 5 } });
});

it('pruning deletes a complete chain, which continues from its base', async () => {
  await write(5, 1);
  expect(await prune()).toBe(5);
  await write(2, 2);
  expect(await verify()).toMatchObject({ ok: true, checked: 3, pruned: { seq: 5 }, sealed_to: { seq: 8 } });
  expect(await prune()).toBe(3);
  expect(await verify()).toMatchObject({ ok: true, pruned: { seq: 8, entries: 8 } });
});

it('pruning keeps entries under hold, by project and by time, until the hold is released', async () => {
  await write(2, 1);
  await write(2, 2);
  await write(2, 3);
  await write(2, 1, other);
  const base = { reason: 'case 7', created_by: 'anna', created_at: new Date().toISOString() };
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
  const hold = { ...base, id: createId(), project, from: at(2), to: at(3) };
  await database.db.transaction().execute((tx) => insertHold(tx, hold));
  expect(await prune()).toBe(2 + 2);
  expect(await left()).toHaveLength(4 + 1);
  expect(await prune()).toBe(0);
  await database.db.transaction().execute((tx) => releaseHold(tx, hold.id, 'anna', new Date()));
  expect(await prune()).toBe(4);
  await sealer.sealAll();
  expect(await verify()).toMatchObject({ ok: true, first_bad: null });
});

it('pruning does not look like damage to a concurrent verification', async () => {
  await write(5, 1);
  const between = new Date();
  await write(3, 2);
  let pruned: number | undefined;
  const db = database.db.withPlugin({
    transformQuery: ({ node }) => node,
    // Runs after the first read of the chain.
    transformResult: async ({ result }) => {
      if (pruned === undefined) {
        pruned = 0;
        pruned = await prune(between);
      }
      return result;
    },
  });
  const verdict = await verify(project, db);
  expect(verdict).toMatchObject({ ok: true, first_bad: null, pruned: { seq: 5 } });
  // The audit entry of the pruning itself may already be sealed.
  expect([3, 4]).toContain(verdict?.checked);
  expect(pruned).toBe(5);
});

it('a verification does not treat entries sealed and signed after its last read as cut off', async () => {
  await write(5, 1);
  let looked: object | undefined;
  let grown = false;
  const db = database.db.withPlugin({
    transformQuery: ({ node, queryId }) => {
      if (node.kind === 'RawNode' && node.sqlFragments.some((text) => text.includes('left join audit_log')))
        looked = queryId;
      return node;
    },
    transformResult: async ({ queryId, result }) => {
      if (queryId === looked && !grown) {
        grown = true;
        await write(2, 2);
      }
      return result;
    },
  });
  expect(await verify(project, db)).toMatchObject({ ok: true, first_bad: null, checked: 7, sealed_to: { seq: 7 } });
});

it('the database itself refuses to prune held or unsigned entries, or at the request of one project', async () => {
  await write(3, 1);
  const ask = (seq: number, db = database.db) =>
    sql`select audit_prune(${project}, ${seq}, now(), ${signer.keyId}, '\\x00'::bytea)`.execute(db);
  await expect(ask(2)).rejects.toThrow(/no signed end/);
  await expect(ask(3, database.scoped({ kind: 'project', projectId: project }))).rejects.toThrow(/for all projects/);
  const hold = { id: createId(), project: null, from: null, to: null, reason: 'all', created_by: 'anna' };
  await database.db.transaction().execute((tx) => insertHold(tx, { ...hold, created_at: new Date().toISOString() }));
  await expect(ask(3)).rejects.toThrow(/held/);
  await expect(database.db.deleteFrom('audit_log').execute()).rejects.toThrow(/written once/);
  expect(await left()).toHaveLength(3);
});

it('pruning does not hide a cut: a base with a foreign signature is invalid', async () => {
  await write(4, 1);
  await sql`select audit_prune(${project}, 4, now(), ${signer.keyId}, '\\x00'::bytea)`.execute(database.db);
  expect((await verify())?.first_bad).toMatchObject({ kind: 'forged_checkpoint', seq: 4 });
});

describe('in a chain with more checkpoints than one read returns', () => {
  const LENGTH = 450;
  beforeEach(async () => {
    await write(LENGTH, 1);
    const at = new Date();
    const links = await database.db.selectFrom('audit_chain').selectAll().where('project_key', '=', project).execute();
    await database.db
      .insertInto('audit_checkpoints')
      .values(
        links.map(({ seq, hash }) => {
          const signature = signer.sign({ projectKey: project, seq, hash, at });
          return { project_key: project, seq, hash, at, key_id: signer.keyId, signature };
        }),
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });

  it('each checkpoint is compared with its link', async () => {
    expect(await verify()).toMatchObject({ ok: true, checked: LENGTH, checkpoints: LENGTH });
    for (const at of [1, 200, 201, 449]) {
      const kept = database.owner.selectFrom('audit_checkpoints').select('signature');
      const { signature } = await kept.where('seq', '=', at).executeTakeFirstOrThrow();
      await sql`update audit_checkpoints set signature = '\\x00' where seq = ${at}`.execute(database.owner);
      expect((await verify())?.first_bad, String(at)).toMatchObject({ kind: 'forged_checkpoint', seq: at });
      await sql`update audit_checkpoints set signature = ${signature} where seq = ${at}`.execute(database.owner);
    }
    const wrong = { projectKey: project, seq: 333, hash: Buffer.alloc(32, 7), at: new Date() };
    const { hash, at } = wrong;
    await sql`update audit_checkpoints set hash = ${hash}, at = ${at}, signature = ${signer.sign(wrong)} where seq = 333`.execute(
      database.owner,
    );
    expect((await verify())?.first_bad).toMatchObject({ kind: 'rewritten', seq: 333 });
  });

  it('a checkpoint after the end of the chain reveals the cut', async () => {
    await sql`delete from audit_chain where seq > 300`.execute(database.owner);
    expect((await verify())?.first_bad).toMatchObject({ kind: 'cut', seq: 301 });
  });
});

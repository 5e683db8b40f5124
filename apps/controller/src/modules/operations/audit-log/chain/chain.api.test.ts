import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditVerdict } from '@flotilla/contract';
import { createId, createSilentLogger, systemClock } from '@flotilla/kit';
import type { TestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { recordAudit } from '../../../../platform/audit/record-store.ts';
import { createControllerDatabase } from '../../../../testing/database.ts';
import { hashLink, NO_PROJECT } from './canonical.ts';
import { readTails, sealWaiting, whileSealing } from './chain-store.ts';
import { keepPublicKey, signChangedHeads } from './checkpoint-store.ts';
import { HeadsFile } from './heads-file.ts';
import { Sealer } from './sealer.ts';
import { openHeadSigner, readTrustedKeys } from './signer.ts';
import { verifyChains } from './verify.ts';

let database: TestDatabase;
let folder: string;
let heads: HeadsFile;
let sealer: Sealer;
const project = createId();

beforeEach(async () => {
  database = await createControllerDatabase();
  folder = await mkdtemp(join(tmpdir(), 'flotilla-audit-'));
  heads = new HeadsFile(join(folder, 'heads.ndjson'));
  sealer = await openSealer(heads);
});
afterEach(async () => {
  await sealer.close();
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

/** A sealer without its timer, driven by the test. */
async function openSealer(file: HeadsFile): Promise<Sealer> {
  const signer = await openHeadSigner(join(folder, 'audit.key'));
  const opened = new Sealer({ db: database.db, signer, heads: file, logger: createSilentLogger(), clock: systemClock });
  await opened.start();
  return opened;
}

async function write(count: number, projectId: string | undefined = project): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    await recordAudit(database.db, {
      at: new Date(),
      actor: { kind: 'user', id: createId(), name: `u${i}`, sessionId: createId(), isOwner: false },
      actorRole: 'admin',
      projectId,
      action: 'document.update',
      outcome: 'done',
      status: 200,
      subject: { type: 'clusters', name: `c_${i}`, changes: { z: 1.1e21, a: ['ü', '\u2028'], b: { y: 0, x: null } } },
    });
  }
}

/** Seals and signs everything that waits. */
async function sealAll(): Promise<void> {
  await vi.waitFor(async () => {
    await sealer.sealAll();
    expect(await database.db.selectFrom('audit_unsealed').selectAll().execute()).toEqual([]);
  });
}

async function readKeys(): Promise<Map<string, string>> {
  return readTrustedKeys(await openHeadSigner(join(folder, 'audit.key')), join(folder, 'trusted.pem'));
}

async function verify(kept = heads): Promise<AuditVerdict> {
  const keptHeads = await kept.readLast();
  const trustedKeys = await readKeys();
  const [verdict] = await verifyChains(database.db, { projectId: project, keptHeads, trustedKeys, now: new Date() });
  if (!verdict) throw new Error('no verdict');
  return verdict;
}

/** Runs as the database's superuser; `?` stand for the values. */
async function tamper(text: string, ...values: unknown[]): Promise<void> {
  const parts = text
    .split('?')
    .map((part, i) => (i < values.length ? sql`${sql.raw(part)}${values[i]}` : sql.raw(part)));
  await sql`${sql.join(parts, sql.raw(''))}`.execute(database.owner);
}

async function entryAt(seq: number): Promise<string> {
  const rows = database.db.selectFrom('audit_chain').select('entry_id').where('project_key', '=', project);
  return (await rows.where('seq', '=', seq).executeTakeFirstOrThrow()).entry_id;
}

describe('a chain without manipulation', () => {
  it('is valid, separately for each project and for entries without one', async () => {
    const other = createId();
    await write(7);
    await write(3, other);
    await recordAudit(database.db, {
      at: new Date(),
      actor: { kind: 'anonymous' },
      actorRole: undefined,
      projectId: undefined,
      action: 'session.login',
      outcome: 'denied',
      status: 401,
    });
    await sealAll();
    expect(await verify()).toMatchObject({ ok: true, checked: 7, sealed_to: { seq: 7 }, unsealed: 0, first_bad: null });
    const all = await verifyChains(database.db, {
      projectId: undefined,
      keptHeads: await heads.readLast(),
      trustedKeys: await readKeys(),
      now: new Date(),
    });
    expect(all.map(({ project: of, ok, checked }) => [of, ok, checked]).toSorted()).toEqual(
      [
        [project, true, 7],
        [other, true, 3],
        [null, true, 1],
      ].toSorted(),
    );
  });

  it('is valid with an entry that commits long after newer ones were sealed', async () => {
    let commit = () => {};
    const held = new Promise<void>((resolve) => {
      commit = resolve;
    });
    const late = database.db.transaction().execute(async (tx) => {
      await recordAudit(tx, {
        at: new Date(Date.now() - 3_600_000),
        actor: { kind: 'anonymous' },
        actorRole: undefined,
        projectId: project,
        action: 'late',
        outcome: 'done',
        status: 200,
      });
      await held;
    });
    await write(3);
    await sealAll();
    commit();
    await late;
    await sealAll();
    expect(await verify()).toMatchObject({ ok: true, checked: 4 });
  });

  it('is written by one sealer at a time, and a manual third one is kept out while one is stopped', async () => {
    await write(40);
    const second = await openSealer(new HeadsFile(join(folder, 'second.ndjson')));
    await Promise.all([sealAll(), second.sealAll(), write(40)]);
    await sealAll();
    await second.close();
    expect(await verify()).toMatchObject({ ok: true, checked: 80 });
    let wake = () => {};
    const stopped = new Promise<void>((resolve) => {
      wake = resolve;
    });
    let hasLock = () => {};
    const locked = new Promise<void>((resolve) => {
      hasLock = resolve;
    });
    const holder = whileSealing(database.db, async (tx) => {
      hasLock();
      await stopped;
      return sealWaiting(tx, 1);
    });
    await locked;
    await write(2);
    expect(await whileSealing(database.db, (tx) => sealWaiting(tx, 10))).toBeUndefined();
    wake();
    expect(await holder).toBe(1);
    await sealAll();
    expect(await verify()).toMatchObject({ ok: true, checked: 82 });
  });

  it('refuses the writes of a sealer that stalled past its time, and continues without it', async () => {
    await write(3);
    const paused = whileSealing(database.db, async (tx) => {
      // PostgreSQL does the same after ten seconds without a statement in a transaction.
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
      await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(database.owner);
      await sealAll();
      return sealWaiting(tx, 10);
    });
    await expect(paused).rejects.toThrow();
    expect(await verify()).toMatchObject({ ok: true, checked: 3 });
  });
});

describe('verification names the first bad place', () => {
  beforeEach(async () => {
    await write(10);
    await sealAll();
    expect((await verify()).ok).toBe(true);
  });

  it('of an entry that was edited in any field', async () => {
    await tamper("update audit_log set at = at + interval '1 microsecond' where id = ?", await entryAt(8));
    expect((await verify()).first_bad).toMatchObject({ kind: 'edited', seq: 8, entry_id: await entryAt(8) });
    await tamper('update audit_log set changes = changes || \'{"a": 1}\' where id = ?', await entryAt(4));
    expect((await verify()).first_bad).toMatchObject({ kind: 'edited', seq: 4, entry_id: await entryAt(4) });
    await tamper('update audit_log set project_id = null where id = ?', await entryAt(2));
    expect((await verify()).first_bad).toMatchObject({ kind: 'edited', seq: 2 });
  });

  it('of an entry that was deleted, alone or with its link', async () => {
    await tamper('delete from audit_log where id = ?', await entryAt(6));
    expect(await verify()).toMatchObject({ ok: false, checked: 5, first_bad: { kind: 'missing', seq: 6 } });
    await tamper('delete from audit_chain where project_key = ? and seq = 3', project);
    expect((await verify()).first_bad).toMatchObject({ kind: 'missing', seq: 3, entry_id: null });
  });

  it('of an entry that was overwritten with another one', async () => {
    const [third, fifth] = [await entryAt(3), await entryAt(5)];
    await tamper(
      `update audit_log a set action = b.action, at = b.at, resource_name = b.resource_name, actor_name = b.actor_name,
         actor_id = b.actor_id from audit_log b where (a.id = ? and b.id = ?)`,
      third,
      fifth,
    );
    expect((await verify()).first_bad).toMatchObject({ kind: 'edited', seq: 3 });
  });

  it('of links that were swapped', async () => {
    await tamper('update audit_chain set seq = 100 where project_key = ? and seq = 4', project);
    await tamper('update audit_chain set seq = 4 where project_key = ? and seq = 5', project);
    await tamper('update audit_chain set seq = 5 where project_key = ? and seq = 100', project);
    expect((await verify()).first_bad).toMatchObject({ kind: 'moved', seq: 4 });
  });

  it('of an entry that was inserted without the queue', async () => {
    await tamper(
      "insert into audit_log (id, at, actor_kind, project_id, action, outcome, status) values (?, now(), 'user', ?, 'x', 'done', 200)",
      createId(),
      project,
    );
    await tamper('delete from audit_unsealed');
    await tamper('delete from audit_chain where seq > 10');
    expect((await verify()).first_bad).toMatchObject({ kind: 'unsealed' });
  });

  it('of a chain whose end was cut off, also together with its checkpoints', async () => {
    const gone = [await entryAt(9), await entryAt(10)];
    await tamper('delete from audit_chain where project_key = ? and seq > 8', project);
    for (const id of gone) await tamper('delete from audit_log where id = ?', id);
    expect((await verify()).first_bad).toMatchObject({ kind: 'cut', seq: 10 });
    await tamper('delete from audit_checkpoints');
    expect((await verify()).first_bad).toMatchObject({ kind: 'cut', seq: 10 });
    // Only a verifier with neither the signatures nor the file is fooled.
    expect((await verify(new HeadsFile(join(folder, 'no-such.ndjson')))).first_bad).toBeNull();
  });

  it('of a chain that was rewritten after an edit, with matching links', async () => {
    await tamper("update audit_log set actor_name = 'nobody' where id = ?", await entryAt(2));
    await tamper('delete from audit_chain where project_key = ?', project);
    await tamper('insert into audit_unsealed select id, project_id from audit_log');
    await whileSealing(database.db, (tx) => sealWaiting(tx, 100));
    await vi.waitFor(async () => expect((await verify()).checked).toBe(10));
    expect((await verify()).first_bad).toMatchObject({ kind: 'rewritten', seq: 10 });
  });

  it('of a checkpoint that somebody else signed', async () => {
    await tamper("update audit_checkpoints set hash = decode(repeat('00', 32), 'hex') where project_key = ?", project);
    expect((await verify()).first_bad).toMatchObject({ kind: 'forged_checkpoint', seq: 10 });
  });

  it('of a log that was rewritten and signed again by an attacker with the database and their own key', async () => {
    const own = await openHeadSigner(join(folder, 'intruder.key'));
    await tamper("update audit_log set actor_name = 'nobody' where id = ?", await entryAt(2));
    await tamper('delete from audit_chain where project_key = ?', project);
    await tamper('delete from audit_checkpoints');
    await tamper('insert into audit_unsealed select id, project_id from audit_log');
    await whileSealing(database.db, (tx) => sealWaiting(tx, 100));
    await vi.waitFor(async () => expect(await readTails(database.db)).toHaveProperty('size', 1));
    await keepPublicKey(database.db, own, new Date());
    await database.db.transaction().execute((tx) => signChangedHeads(tx, own, new Date()));
    expect((await verify()).first_bad).toMatchObject({
      kind: 'unknown_key',
      message: expect.stringContaining(own.keyId),
    });
    // Also if the file of heads is lost.
    const lost = new HeadsFile(join(folder, 'no-such.ndjson'));
    expect((await verify(lost)).first_bad).toMatchObject({ kind: 'unknown_key' });
    // Signed with another key under our key's id, whatever the database says.
    await tamper('update audit_checkpoints set key_id = ?', (await openHeadSigner(join(folder, 'audit.key'))).keyId);
    expect((await verify(lost)).first_bad).toMatchObject({ kind: 'forged_checkpoint' });
    // Even if an operator trusts the attacker's key, the kept head contradicts it.
    await writeFile(join(folder, 'trusted.pem'), own.publicKey);
    await tamper('update audit_checkpoints set key_id = ?', own.keyId);
    expect((await verify()).first_bad).toMatchObject({ kind: 'rewritten', seq: 10 });
  });

  it('of a shorter chain, which is not signed again over the cut', async () => {
    await tamper('delete from audit_chain where project_key = ? and seq > 8', project);
    await write(1);
    await sealAll();
    expect((await verify()).ok).toBe(false);
  });
});

describe('outside the database', () => {
  it('a key for its owner only and the heads of all chains are stored', async () => {
    await write(2);
    await sealAll();
    expect((await stat(join(folder, 'audit.key'))).mode & 0o777).toBe(0o600);
    const [line] = (await readFile(join(folder, 'heads.ndjson'), 'utf8')).trim().split('\n');
    expect(JSON.parse(line ?? '')).toMatchObject({ project, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  it('a full file is rotated with the heads of all chains, including idle ones', async () => {
    const quiet = createId();
    await write(1, quiet);
    await sealAll();
    const file = join(folder, 'heads.ndjson');
    for (let i = 0; i < 2; i += 1) {
      await writeFile(file, `\n${' '.repeat(8 * 1024 * 1024)}`, { flag: 'a' });
      await write(1);
      await sealAll();
    }
    expect((await heads.readLast()).get(quiet)?.seq).toBe(1);
    expect((await heads.readLast()).get(project)?.seq).toBe(2);
    expect((await stat(file)).size).toBeLessThan(10_000);
  });

  it('a line truncated by a crash is ignored, and the file continues after it', async () => {
    await write(2);
    await sealAll();
    const file = join(folder, 'heads.ndjson');
    await writeFile(file, `${await readFile(file, 'utf8')}\n{"project":"${project}","se`);
    expect((await heads.readLast()).get(project)?.seq).toBe(2);
    await write(1);
    await sealAll();
    expect((await heads.readLast()).get(project)?.seq).toBe(3);
  });
});

it('an entry of one project does not fit into the chain of another', () => {
  const hash = Buffer.alloc(32, 1);
  expect(hashLink(project, hash, 1, hash)).not.toEqual(hashLink(NO_PROJECT, hash, 1, hash));
});

import { X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import { createId, createSecret } from '@flotilla/kit';
import { parseEnrolmentToken } from '@flotilla/proto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { lockToken, rotateToken } from '../../modules/fleet/enrolment/token-store.ts';
import { findBySecret } from '../tokens/index.ts';
import { codeOf, createTestStreams, TestPeer, type TestStreams } from './testing/streams.ts';

let t: TestStreams;
beforeAll(async () => {
  t = await createTestStreams();
});
afterAll(() => t?.close());

async function refusal(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'not refused',
    (error: unknown) => codeOf(error),
  );
}

describe('enrolment', () => {
  it('gives a certificate of our authority, bound to client and project, for a day', async () => {
    const project = await t.createProject();
    const peer = await TestPeer.create();
    const answer = await peer.enrol(t, await t.createToken(project));
    const certificate = new X509Certificate(answer.certificateDer);
    expect(certificate.subject).toBe(`O=${project}\nCN=${answer.clientId}`);
    expect(answer.projectId).toBe(project);
    expect(certificate.verify(t.authority.certificate.publicKey)).toBe(true);
    expect(certificate.ca).toBe(false);
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
    expect(certificate.validToDate.getTime() - t.clock.now()).toBeGreaterThan(86_398_000);
    expect(certificate.validToDate.getTime() - t.clock.now()).toBeLessThanOrEqual(86_400_000);
  });

  it('succeeds once if a token is used twice at once, and the other use is recorded', async () => {
    const token = await t.createToken(await t.createProject());
    const peers = await Promise.all(Array.from({ length: 8 }, () => TestPeer.create()));
    const outcomes = await Promise.all(peers.map((peer) => refusal(peer.enrol(t, token))));
    expect(outcomes.filter((code) => code === 'not refused')).toHaveLength(1);
    expect(outcomes.filter((code) => code === 'enrolment.token_used')).toHaveLength(7);
    const audits = await t.deniedAudits();
    expect(
      audits.filter(({ action, code }) => action === 'client.enrol' && code === 'enrolment.token_used'),
    ).toHaveLength(7);
  });

  it('answers the same host again if its first answer was lost, with the same client', async () => {
    const token = await t.createToken(await t.createProject());
    const peer = await TestPeer.create();
    const first = await peer.enrol(t, token);
    const second = await peer.enrol(t, token);
    expect(second.clientId).toBe(first.clientId);
    expect(Buffer.from(second.certificateDer).equals(Buffer.from(first.certificateDer))).toBe(false);
    const clients = await t.database.db
      .selectFrom('clients')
      .select('id')
      .where('project_id', '=', first.projectId)
      .execute();
    expect(clients).toEqual([{ id: first.clientId }]);
  });

  it('refuses an expired token, an unknown one and a malformed one', async () => {
    const project = await t.createProject();
    const peer = await TestPeer.create();
    const expired = await t.createToken(project, -1);
    expect(await refusal(peer.enrol(t, expired))).toBe('enrolment.token_expired');
    expect(await refusal(peer.enrol(t, expired.replace(/^flte_..../, 'flte_AAAA')))).toBe('enrolment.token_unknown');
    expect(await refusal(peer.enrol(t, "x' or 1=1 --"))).toBe('enrolment.token_unknown');
  });

  it('refuses a token whose creator could not create one any more, whatever the reason', async () => {
    const { db } = t.database;
    const project = await t.createProject();
    const now = new Date(t.clock.now());
    const admin = createId();
    const user = { id: admin, username: 'admin-that-goes', email: null, password_hash: null, password_changed_at: now };
    await db
      .insertInto('users')
      .values({ ...user, created_at: now, updated_at: now })
      .execute();
    await db
      .insertInto('memberships')
      .values({ project_id: project, user_id: admin, role: 'admin', created_at: now })
      .execute();
    const enrol = async () => {
      const peer = await TestPeer.create();
      return refusal(peer.enrol(t, await t.createToken(project, 3_600_000, admin)));
    };
    const member = db.updateTable('memberships').where('user_id', '=', admin);
    const account = db.updateTable('users').where('id', '=', admin);
    expect(await enrol()).toBe('not refused');
    await member.set({ role: 'editor' }).execute();
    expect(await enrol()).toBe('enrolment.token_void');
    await member.set({ role: 'owner' }).execute();
    expect(await enrol()).toBe('not refused');
    await account.set({ active: false }).execute();
    expect(await enrol()).toBe('enrolment.token_void');
    await account.set({ active: true }).execute();
    const realm = { realm: 'ldap', issuer: 'ldap', subject: 's', created_at: now, last_seen_at: now, gone_at: now };
    await db
      .insertInto('external_identities')
      .values({ ...realm, user_id: admin })
      .execute();
    expect(await enrol()).toBe('enrolment.token_void');
    await db.updateTable('external_identities').set({ gone_at: null }).where('user_id', '=', admin).execute();
    const peer = await TestPeer.create();
    const left = await t.createToken(project, 3_600_000, admin);
    const used = await t.createToken(project, 3_600_000, admin);
    await peer.enrol(t, used);
    await db.deleteFrom('users').where('id', '=', admin).execute();
    expect(await refusal((await TestPeer.create()).enrol(t, left))).toBe('enrolment.token_void');
    // The host that was enrolled with the token gets no further certificate either.
    expect(await refusal(peer.enrol(t, used))).toBe('enrolment.token_void');
  });

  it('refuses a request whose signer does not hold the key, and does not use up the token', async () => {
    const token = await t.createToken(await t.createProject());
    const honest = await TestPeer.create();
    const thief = await TestPeer.create();
    const csr = Buffer.from(await honest.csr());
    csr[csr.length - 1] = (csr[csr.length - 1] ?? 0) ^ 1;
    thief.csr = () => Promise.resolve(new Uint8Array(csr));
    expect(await refusal(thief.enrol(t, token))).toBe('enrolment.csr_invalid');
    thief.csr = () => Promise.resolve(new Uint8Array([1, 2, 3]));
    expect(await refusal(thief.enrol(t, token))).toBe('enrolment.csr_invalid');
    expect(await refusal(honest.enrol(t, token))).toBe('not refused');
  });

  it('returns the authority in its chain and names that agents verify', async () => {
    const socket = connect({ host: '127.0.0.1', port: t.port, ALPNProtocols: ['h2'], rejectUnauthorized: false });
    await new Promise((resolve) => socket.once('secureConnect', resolve));
    const leaf = socket.getPeerX509Certificate();
    expect(leaf?.issuerCertificate?.raw.equals(t.authority.certificateDer)).toBe(true);
    for (const name of ['controller.flotilla.internal', 'localhost', 'controller.example.com']) {
      expect(leaf?.checkHost(name)).toBe(name);
    }
    expect(leaf?.checkIP('127.0.0.1')).toBe('127.0.0.1');
    socket.destroy();
  });

  it('stores neither the secret of a token nor the key of the authority readable in the database', async () => {
    const token = await t.createToken(await t.createProject());
    const secret = token.slice(5, 48);
    const rows = await t.database.db.selectFrom('enrolment_tokens').selectAll().execute();
    const secrets = await t.database.db.selectFrom('token_secrets').selectAll().execute();
    expect(secrets).toHaveLength(rows.length);
    expect(
      JSON.stringify([...rows, ...secrets.map((row) => ({ ...row, hash: row.hash.toString('latin1') }))]),
    ).not.toContain(secret);
    const { sealed_key } = await t.database.db
      .selectFrom('certificate_authority')
      .select('sealed_key')
      .executeTakeFirstOrThrow();
    // PKCS#8 of an EC key names its curve (1.2.840.10045.3.1.7).
    expect(sealed_key.includes(Buffer.from('2a8648ce3d030107', 'hex'))).toBe(false);
  });
});

describe('a rotated enrolment token', () => {
  it('works with either secret during the overlap, for one host in total', async () => {
    for (const used of [0, 1] as const) {
      const old = await t.createToken(await t.createProject());
      const both = [old, await t.rotateToken(old, 600)] as const;
      const [first, second] = [await TestPeer.create(), await TestPeer.create()];
      const { clientId } = await first.enrol(t, both[used]);
      for (const token of both) expect(await refusal(second.enrol(t, token))).toBe('enrolment.token_used');
      // The host that lost the answer may have received the other token.
      for (const token of both) expect((await first.enrol(t, token)).clientId).toBe(clientId);
    }
  });

  it('works once if two hosts come at once, each with another secret', async () => {
    for (let round = 0; round < 5; round += 1) {
      const project = await t.createProject();
      const old = await t.createToken(project);
      const both = [old, await t.rotateToken(old, 600)];
      const peers = await Promise.all([0, 1, 2, 3, 4, 5].map(() => TestPeer.create()));
      const outcomes = await Promise.all(peers.map((peer, n) => refusal(peer.enrol(t, both[n % 2] ?? ''))));
      expect(outcomes.toSorted()).toEqual([...Array(5).fill('enrolment.token_used'), 'not refused']);
      const clients = await t.database.db
        .selectFrom('clients')
        .select('id')
        .where('project_id', '=', project)
        .execute();
      expect(clients).toHaveLength(1);
    }
  });

  it('works only with the new secret after the overlap, or without one', async () => {
    const peer = await TestPeer.create();
    const [one, other] = [await t.createToken(await t.createProject()), await t.createToken(await t.createProject())];
    const oneNew = await t.rotateToken(one, 60);
    const otherNew = await t.rotateToken(other, 0);
    expect(await refusal(peer.enrol(t, other))).toBe('enrolment.token_unknown');
    t.clock.advance(61_000);
    expect(await refusal(peer.enrol(t, one))).toBe('enrolment.token_unknown');
    for (const token of [oneNew, otherNew])
      expect(await refusal((await TestPeer.create()).enrol(t, token))).toBe('not refused');
  });

  it('does not admit a host whose secret was being ended', async () => {
    const project = await t.createProject();
    const old = await t.createToken(project);
    const peer = await TestPeer.create();
    const { secret = '' } = parseEnrolmentToken(old) ?? {};
    let waiting: Promise<string> | undefined;
    await t.database.db.transaction().execute(async (tx) => {
      const { tokenId } = (await findBySecret(tx, 'enrolment', secret)) ?? {};
      const row = await lockToken(tx, { projectId: project, id: tokenId ?? '', now: new Date() });
      if (!row) throw new Error('there is no such token');
      waiting = refusal(peer.enrol(t, old));
      // Its query has finished and it waits for the token's lock.
      await vi.waitFor(
        async () => {
          const { rows } = await sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like 'update "enrolment_tokens"%'`.execute(
            t.database.db,
          );
          expect(rows[0]?.count).toBe(1);
        },
        { interval: 20 },
      );
      await rotateToken(tx, row, {
        secret: createSecret(),
        prefix: 'flte_',
        issuedTo: t.ownerId,
        overlapS: 0,
        now: new Date(),
      });
    });
    expect(await waiting).toBe('enrolment.token_unknown');
    expect(await t.database.db.selectFrom('clients').select('id').where('project_id', '=', project).execute()).toEqual(
      [],
    );
  });
});

describe('the renewal of a certificate', () => {
  it('exchanges a certificate for a new one', async () => {
    const peer = await TestPeer.enrolled(t);
    const { certificateDer } = await peer.renew(t);
    expect(new X509Certificate(certificateDer).subject).toContain(peer.clientId);
  });

  it('accepts a certificate that expired while the host was off, but not one that expired long ago', async () => {
    const peer = await TestPeer.enrolled(t);
    const issue = async (endedAgoMs: number) => {
      const projectId = (
        await t.database.db
          .selectFrom('clients')
          .select('project_id')
          .where('id', '=', peer.clientId)
          .executeTakeFirstOrThrow()
      ).project_id;
      const subject = { clientId: peer.clientId, projectId, publicKey: await peer.publicKey() };
      const issued = await t.authority.issueClient(subject, {
        now: new Date(t.clock.now() - endedAgoMs - 1000),
        lifetimeMs: 1000,
      });
      await t.database.db
        .insertInto('client_certificates')
        .values({
          serial: issued.serial,
          client_id: peer.clientId,
          project_id: projectId,
          key_digest: Buffer.alloc(32),
          issued_at: issued.issuedAt,
          expires_at: issued.expiresAt,
          revoke_reason: null,
        })
        .execute();
      peer.certificateDer = issued.der;
    };
    await issue(3 * 86_400_000);
    expect(await refusal(peer.renew(t))).toBe('not refused');
    await issue(31 * 86_400_000);
    expect(await refusal(peer.renew(t))).toBe('certificate.expired');
  });

  it('is refused without a certificate', async () => {
    expect(await refusal((await TestPeer.create()).renew(t))).toBe('certificate.missing');
  });
});

import { Buffer } from 'node:buffer';
import { createId } from '@flotilla/kit';
import { describe, expect, it } from 'vitest';
import { TEST_VERSION } from '../../../test-fleet.ts';
import { createTestSigner, sectionOf, writeTestBackup } from '../format/test-backup.ts';
import { BASE, digestTables, SECRET_POLICY } from '../test-restore.ts';
import { stageProjects } from '../test-stage.ts';

const SECRETS = ['FIRST-PRIVATE-KEY-71', 'SECOND-PRIVATE-KEY-72', 'THIRD-PRIVATE-KEY-73'] as const;
const FILES = ['first', 'second'].map((which) =>
  Buffer.from(`the ${which} secret of thirty-two characters`).toString('base64'),
);

const here = stageProjects();

const version = `&version=${TEST_VERSION}`;
const resource = (key: string) => ({
  tls_certificate: { certificate_chain: { inline_string: 'c' }, private_key: { inline_string: key } },
});
const namesOf = (planned: { creates: { kind: string; count: number; names: string[] }[] }, kind: string) =>
  planned.creates.filter((one) => one.kind === kind).map(({ count, names }) => ({ count, names }));

async function restoreInto(of: string, backup: string) {
  const { digest } = await here.plan({ backup }, { of });
  const done = await here.restore({ backup, digest }, { of });
  expect(done.job.status, JSON.stringify(done.job)).toBe('done');
  return done.body;
}

/** A document of three revisions and a policy of two, each with another secret. */
async function makeHistory(): Promise<void> {
  const [first, ...later] = SECRETS;
  await here.ask('POST', '/api/v3/xds/secrets', { name: 'www', version: TEST_VERSION, resource: resource(first) });
  for (const key of later)
    await here.ask('PUT', '/api/v3/xds/secrets/www', { resource: resource(key) }, { more: version, by: here.admin });
  const file = (which: number) => [{ path: 'keys/shared.key', content_base64: FILES[which] }];
  await here.ask('POST', '/api/v3/shield/policies', { name: 'guard', text: SECRET_POLICY, files: file(0) });
  await here.ask('PUT', '/api/v3/shield/policies/guard', { text: SECRET_POLICY, files: file(1) }, { by: here.admin });
}

const listRevisions = async (of = here.query) => ({
  document: (await here.ask('GET', '/api/v3/xds/secrets/www/revisions', undefined, { of, more: version })).items,
  policy: (await here.ask('GET', '/api/v3/shield/policies/guard/revisions', undefined, { of })).items,
});

describe('revisions', () => {
  it('come back with who wrote them and when, and each can be gone back to with its secret', async () => {
    await makeHistory();
    const before = await listRevisions();
    const { id } = await here.makeBackup({});
    const { there, far } = await here.createFar();
    const backup = await here.carry(id, far);
    const planned = await here.plan({ backup }, { of: far });
    expect(namesOf(planned, 'revisions')).toEqual([
      {
        count: 3,
        names: [...[1, 2].map((n) => `documents/${TEST_VERSION}/secrets/www ${n}`), 'policies/guard 1'],
      },
    ]);
    expect(JSON.stringify(planned)).not.toContain(SECRETS[0]);
    await restoreInto(far, backup);
    const after = await listRevisions(far);
    expect(after).toEqual(before);
    expect(after.document.map(({ created_by }: { created_by: string }) => created_by)).toContain(here.admin.username);

    // Sealed for what it belongs to now: it opens.
    await here.ask('POST', '/api/v3/xds/secrets/www/restore', { revision: 1 }, { of: far, more: version });
    await here.ask('POST', '/api/v3/shield/policies/guard/restore', { revision: 1 }, { of: far });
    const bundle = await here.t.controller.configuration.policyBundleFor({ projectId: there, policies: ['guard'] });
    expect(bundle?.files.map(({ content }) => content.toString('base64'))).toContain(FILES[0]);
    expect((await listRevisions(far)).document[0].revision).toBe(4);
    // The project of the backup has what it had.
    expect(await listRevisions()).toEqual(before);
  });

  it('of what is here already stay as they are, also where it is replaced, and the plan says so', async () => {
    await makeHistory();
    const { id: backup } = await here.makeBackup({});
    await here.ask('PUT', '/api/v3/xds/secrets/www', { resource: resource('A-LATER-KEY-74') }, { more: version });
    const { document } = await listRevisions();
    await here.ask('DELETE', '/api/v3/shield/policies/guard');
    const planned = await here.plan({ backup, on_conflict: 'replace' });
    expect(namesOf(planned, 'revisions')).toEqual([{ count: 1, names: ['policies/guard 1'] }]);
    expect(planned.not_taken).toContainEqual({
      kind: 'revisions',
      count: 2,
      reason: 'what is here by the same name keeps the history that it has',
    });
    const order = { backup, on_conflict: 'replace', digest: planned.digest };
    const done = await here.restore(order);
    expect(done.job.status, JSON.stringify(done.job)).toBe('done');
    const after = await listRevisions();
    expect(after.document.slice(1)).toEqual(document);
    expect(after.document[0].revision).toBe(5);
    expect(after.policy.map(({ revision }: { revision: number }) => revision)).toEqual([2, 1]);
  });

  it('of a backup without secrets hold none', async () => {
    await makeHistory();
    const { id } = await here.makeBackup({ secret_free: true });
    const { there, far } = await here.createFar();
    await restoreInto(far, await here.carry(id, far));
    const rows = await here.t.database.owner
      .selectFrom('document_revisions as r')
      .innerJoin('documents as d', 'd.id', 'r.document_id')
      .select(['r.sealed', 'r.resource'])
      .where('d.project_id', '=', there)
      .execute();
    expect(rows).toHaveLength(3);
    for (const { sealed, resource: shown } of rows) {
      expect(sealed).toBeNull();
      expect(SECRETS.some((key) => JSON.stringify(shown).includes(key))).toBe(false);
    }
  });

  it('are those of the project alone, in the file as in what is restored from it', async () => {
    await makeHistory();
    const { far } = await here.createFar();
    const { id, ...made } = await here.makeBackup({}, { of: far });
    const checked = await here.ask('POST', `${BASE}/backup/validate`, { backup: id }, { of: far });
    const counts = Object.fromEntries(
      checked.sections.map((one: { name: string; rows: number }) => [one.name, one.rows]),
    );
    expect(counts, JSON.stringify(made)).toMatchObject({
      document_revisions: 0,
      policy_revisions: 0,
      job_schedules: 0,
    });
  });

  const policyRow = (id: string) => ({ id, name: 'guard', description: null, text: SECRET_POLICY, files: [] });
  const revision = (more: object) => ({
    revision: 1,
    description: null,
    text: SECRET_POLICY,
    digest: 'a'.repeat(64),
    files: [],
    created_at: '2026-01-01T00:00:00+00:00',
    created_by: 'owner',
    ...more,
  });

  it('that name what another project has are refused, and nothing is changed', async () => {
    await makeHistory();
    const victim = await here.t.database.owner
      .selectFrom('policies')
      .select('id')
      .where('project_id', '=', here.project)
      .executeTakeFirstOrThrow();
    const { far } = await here.createFar();
    const before = await digestTables(here.t.database.owner);
    const id = createId();
    const cases = {
      'of another project': { policy_revisions: [revision({ policy_id: victim.id })] },
      'twice the same': {
        policies: [policyRow(id)],
        policy_revisions: [1, 1].map((n) => revision({ policy_id: id, revision: n })),
      },
      'of a digest that is none': {
        policies: [policyRow(id)],
        policy_revisions: [revision({ policy_id: id, digest: 'x' })],
      },
      'of a time that is none': {
        policies: [policyRow(id)],
        policy_revisions: [revision({ policy_id: id, created_at: 'now' })],
      },
    };
    for (const [what, sections] of Object.entries(cases)) {
      const backup = await here.forge(sections, far);
      const answer = await here.owner.call('POST', `${BASE}/backup/plan${far}`, { backup, on_conflict: 'replace' });
      expect([answer.status, answer.body.code], what).toEqual([400, 'backup.tampered']);
    }
    expect(await digestTables(here.t.database.owner)).toEqual(before);
  });

  it('below the id of what another project has go to what the backup makes here, and not to that', async () => {
    await makeHistory();
    const before = await listRevisions();
    const victim = await here.t.database.owner
      .selectFrom('policies')
      .selectAll()
      .where('project_id', '=', here.project)
      .executeTakeFirstOrThrow();
    const { far } = await here.createFar();
    const file = { path: 'keys/shared.key', open_base64: FILES[0], bytes: 1, updated_at: '2026-01-01T00:00:00Z' };
    const revisions = [1, 2].map((n) => revision({ policy_id: victim.id, revision: n, files: [file] }));
    const sections = { policies: [{ ...policyRow(victim.id), files: [file] }], policy_revisions: revisions };
    const { restored } = await restoreInto(far, await here.forge(sections, far));
    expect(restored).toMatchObject([{ kind: 'policies', from: victim.id }]);
    expect(restored[0].to).not.toBe(victim.id);
    expect(await listRevisions()).toEqual(before);
    const { items } = await here.ask('GET', '/api/v3/shield/policies/guard/revisions', undefined, { of: far });
    expect(items).toHaveLength(2);
  });

  it('of another installation are not taken: they name its people', async () => {
    const signer = createTestSigner();
    const id = createId();
    const text = SECRET_POLICY.replace(
      'jwt: { algorithms: [HS256], hmac_secret_file: keys/shared.key }',
      'rate_limit: { key: ip, requests_per_second: 1 }',
    );
    const content = await writeTestBackup({
      signer,
      protection: { kind: 'none' },
      sections: [
        sectionOf('policies', [{ ...policyRow(id), text }]),
        sectionOf(
          'policy_revisions',
          [1, 2].map((n) => revision({ policy_id: id, revision: n, created_by: here.admin.username })),
        ),
      ],
    });
    const backup = await here.upload(content);
    const order = { backup, trust_key: signer.fingerprint };
    const planned = await here.plan(order);
    expect(namesOf(planned, 'revisions')).toEqual([]);
    expect(planned.not_taken.map(({ kind }: { kind: string }) => kind)).toContain('revisions');
    const done = await here.restore({ ...order, digest: planned.digest });
    expect(done.job.status, JSON.stringify(done.job)).toBe('done');
    const { items } = await here.ask('GET', '/api/v3/shield/policies/guard/revisions');
    expect(items.map((one: { created_by: string }) => one.created_by)).toEqual([here.owner.username]);
  });

  it('that are more than a restore takes keep nobody from the rest', async () => {
    const id = createId();
    const text = SECRET_POLICY.replace(
      'jwt: { algorithms: [HS256], hmac_secret_file: keys/shared.key }',
      'rate_limit: { key: ip, requests_per_second: 1 }',
    );
    const many = Array.from({ length: 50_001 }, (_, i) => ({ policy_id: id, revision: i + 1 }));
    const backup = await here.forge({ policies: [{ ...policyRow(id), text }], policy_revisions: many });
    const planned = await here.plan({ backup });
    expect(planned.creates.map(({ kind }: { kind: string }) => kind)).toEqual(['policies']);
    expect(planned.not_taken).toContainEqual({
      kind: 'revisions',
      count: 1,
      reason: 'there are more of them than a restore takes',
    });
  });
});

import { TEST_ENVOY_CACHE_DIR } from '@flotilla/testkit';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestController, type TestController } from '../../../testing/controller.ts';
import { measureCertificates } from './certificate-metrics.ts';
import { makeSecret } from './testing/certificates.ts';
import { VERSION } from './testing/documents.ts';

const DAY_MS = 86_400_000;

let t: TestController;
let other: string;
const ends = new Map<string, string>();

beforeAll(async () => {
  t = await createTestController({ SVC_ENVOY_CACHE_DIR: TEST_ENVOY_CACHE_DIR });
  other = await t.createProject('other');
  for (const [project, name, days] of [
    [t.project, 'gone', -3],
    [t.project, 'soon', 12],
    [t.project, 'later', 300],
    [other, 'old', -1],
  ] as const)
    await create(project, name, days);
});
afterAll(() => t.close());

async function create(project: string, name: string, days: number): Promise<void> {
  const made = await t.owner.call('POST', `/api/v3/xds/secrets?project=${project}`, await makeSecret(name, days));
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  ends.set(name, made.body.certificate_ends_at);
}

const secondsOf = (name: string) => Date.parse(ends.get(name) ?? '') / 1000;

function measure(more: { projectsMax?: number } = {}) {
  const metrics = new Registry();
  let ahead = 0;
  const now = () => new Date(Date.now() + ahead);
  measureCertificates({ db: t.database.db, metrics, now, ...more });
  return { read: () => metrics.metrics(), pass: (ms: number) => (ahead += ms) };
}

it('the metrics of a project count certificates that have ended or end soon, and give the next expiry', async () => {
  const { body } = await t.app.inject('/metrics');
  expect(body).toContain(`flotilla_certificates{project="${t.project}",state="ended"} 1\n`);
  expect(body).toContain(`flotilla_certificates{project="${t.project}",state="ends_soon"} 1\n`);
  expect(body).toContain(`flotilla_certificates{project="${t.project}",state="valid"} 1\n`);
  const next = 'flotilla_certificates_next_end_timestamp_seconds';
  expect(body).toContain(`${next}{project="${t.project}"} ${secondsOf('soon')}\n`);
  expect(body).toContain(`flotilla_certificates{project="${other}",state="ended"} 1\n`);
  expect(body).not.toContain(`${next}{project="${other}"}`);
  expect(body).toContain('flotilla_certificate_projects 2\n');
  expect(body).toMatch(/^flotilla_authority_end_timestamp_seconds \d+/m);
});

it('the metrics of certificates follow time and documents with a delay of at most a minute', async () => {
  const { read, pass } = measure();
  expect(await read()).toContain('flotilla_certificate_projects 2\n');
  const third = await t.createProject('third');
  await create(third, 'new', 100);
  expect(await read()).not.toContain(third);
  pass(60_000);
  expect(await read()).toContain(`flotilla_certificates{project="${third}",state="valid"} 1\n`);
  pass(13 * DAY_MS);
  expect(await read()).toContain(`flotilla_certificates{project="${t.project}",state="ended"} 2\n`);
  const gone = `/api/v3/xds/secrets/new?project=${third}&version=${VERSION}`;
  expect((await t.owner.call('DELETE', gone)).status).toBe(204);
  pass(60_000);
  expect(await read()).not.toContain(third);
});

it('a database that does not answer removes the metrics of certificates', async () => {
  const { read, pass } = measure();
  expect(await read()).toContain('flotilla_certificate_projects 2\n');
  pass(60_000);
  await t.database.owner.transaction().execute(async (tx) => {
    await sql`lock table documents in access exclusive mode`.execute(tx);
    expect(await read()).not.toMatch(/^flotilla_certificate/m);
  });
  await expect.poll(read).toContain('flotilla_certificate_projects 2\n');
});

it('with too many projects the metrics cover those whose certificates end first, and count all projects', async () => {
  const scraped = await measure({ projectsMax: 1 }).read();
  expect(scraped).toContain(`{project="${t.project}",state="ended"} 1\n`);
  expect(scraped).not.toContain(other);
  expect(scraped).toContain('flotilla_certificate_projects 2\n');
});

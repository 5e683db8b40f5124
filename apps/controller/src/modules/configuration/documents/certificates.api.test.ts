import { overviewSchema } from '@flotilla/contract';
import { TEST_ENVOY_CACHE_DIR } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestController } from '../../../testing/controller.ts';
import { makeSecret } from './testing/certificates.ts';
import { VERSION } from './testing/documents.ts';

let t: TestController;
const DAY_MS = 86_400_000;
const ends: Record<string, string> = {};

beforeAll(async () => {
  t = await createTestController({ SVC_ENVOY_CACHE_DIR: TEST_ENVOY_CACHE_DIR });
  for (const [name, days] of Object.entries({ gone: -3, soon: 12, later: 300 })) {
    const document = await makeSecret(name, days);
    const made = await t.owner.call('POST', at(), document);
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    ends[name] = made.body.certificate_ends_at;
  }
  const file = {
    name: 'file',
    version: VERSION,
    resource: { tls_certificate: { certificate_chain: { filename: '/x' } } },
  };
  expect((await t.owner.call('POST', at(), file)).status).toBe(201);
});
afterAll(() => t.close());

const at = (more = '', name = '') => `/api/v3/xds/secrets${name && `/${name}`}?project=${t.project}${more}`;

async function list(more: string) {
  const { status, body } = await t.owner.call('GET', at(more));
  expect(status, JSON.stringify(body)).toBe(200);
  return (body.items as { name: string; certificate_ends_at: string | null }[]).map(({ name }) => name);
}

describe('certificates of documents', () => {
  it('are shown with their expiry, and the key is not', async () => {
    const { body } = await t.owner.call('GET', at(`&version=${VERSION}`, 'soon'));
    expect(Math.round((Date.parse(body.certificate_ends_at) - Date.now()) / DAY_MS)).toBe(12);
    expect(JSON.stringify(body)).not.toContain('PRIVATE KEY');
    const none = await t.owner.call('GET', at(`&version=${VERSION}`, 'file'));
    expect(none.body.certificate_ends_at).toBeNull();
  });

  it('sort and filter the list, page by page', async () => {
    expect(await list('&sort=certificate_ends_at')).toEqual(['gone', 'soon', 'later', 'file']);
    expect(await list('&sort=-certificate_ends_at')).toEqual(['file', 'later', 'soon', 'gone']);
    expect(await list('&certificate=ended')).toEqual(['gone']);
    expect(await list('&certificate=ends_soon')).toEqual(['soon']);
    expect(await list('&certificate=ended&certificate=ends_soon&certificate=valid')).toEqual(['gone', 'later', 'soon']);
    const page = await t.owner.call('GET', at('&sort=certificate_ends_at&limit=3'));
    const rest = await t.owner.call('GET', at(`&sort=certificate_ends_at&limit=3&cursor=${page.body.next_cursor}`));
    expect(rest.body.items).toMatchObject([{ name: 'file' }]);
  });

  it('appear in the overview if they have ended or end soon, earliest first', async () => {
    const { body } = await t.owner.call('GET', `/api/v3/overview?project=${t.project}`);
    expect(overviewSchema.parse(body).certificates).toEqual({
      ended: 1,
      ends_soon: 1,
      first: [
        { state: 'ended', ends_at: ends.gone, document: { collection: 'secrets', name: 'gone', version: VERSION } },
        { state: 'ends_soon', ends_at: ends.soon, document: { collection: 'secrets', name: 'soon', version: VERSION } },
      ],
    });
  });

  it('cause a warning for the writer if they have ended or end soon', async () => {
    const planned = await t.owner.call('POST', at('&dry_run=true'), await makeSecret('planned', -1));
    expect(planned.body.document.warnings).toEqual([
      {
        path: 'resource',
        rule: 'certificate.ended',
        message: expect.stringMatching(/^holds a certificate that ended on \d/),
      },
    ]);
    const documents = await Promise.all(
      [5, 90].map(async (days) => ({ collection: 'secrets', ...(await makeSecret(`in-${days}`, days)) })),
    );
    const applied = await t.owner.call('POST', '/api/v3/xds/apply?dry_run=true', { project: t.project, documents });
    expect(applied.status, JSON.stringify(applied.body)).toBe(200);
    const warned = (applied.body.results as { warnings?: { rule: string }[] }[]).map(({ warnings }) =>
      warnings?.map(({ rule }) => rule),
    );
    expect(warned).toEqual([['certificate.ends_soon'], undefined]);
  });
});

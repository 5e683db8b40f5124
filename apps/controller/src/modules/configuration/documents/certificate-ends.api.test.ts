import type { TestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createControllerDatabase } from '../../../testing/database.ts';

/** shop.example.com, valid in March 2026. */
const SHOP = `-----BEGIN CERTIFICATE-----
MIIBSjCB8aADAgECAgEBMAoGCCqGSM49BAMCMC0xEDAOBgNVBAoTB0V4YW1wbGUx
GTAXBgNVBAMTEHNob3AuZXhhbXBsZS5jb20wHhcNMjYwMzAxMDAwMDAwWhcNMjYw
NDAxMDAwMDAwWjAtMRAwDgYDVQQKEwdFeGFtcGxlMRkwFwYDVQQDExBzaG9wLmV4
YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEcMcIeFEBm26Dv1GJ
hkwhloiDMPpWAVM3E7IyjAbC5mZLRRVoQAERz5OYdwDZLH5iF/61RVqNUZ8ivZUs
sS7uyKMCMAAwCgYIKoZIzj0EAwIDSAAwRQIgRBSUdgXDhRpr7uVvGrTjrZYvDkc2
v41lBApEWBllLiECIQDdhkUJNuHi6m9fJDW7GKOtqojDgfAsxTGtq41acFA0TA==
-----END CERTIFICATE-----
`;
/** Without a common name, until 2060: its end is a GeneralizedTime. */
const AUTHORITY = `-----BEGIN CERTIFICATE-----
MIIBFzCBvaADAgECAgEBMAoGCCqGSM49BAMCMBIxEDAOBgNVBAoTB0V4YW1wbGUw
IBcNMjYwMzAxMDAwMDAwWhgPMjA2MDAzMDEwMDAwMDBaMBIxEDAOBgNVBAoTB0V4
YW1wbGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARwxwh4UQGbboO/UYmGTCGW
iIMw+lYBUzcTsjKMBsLmZktFFWhAARHPk5h3ADksfmIX/rVFWo1RnyK9lSyxLu7I
owIwADAKBggqhkjOPQQDAgNJADBGAiEAheFacQP2gGym+tm3m/9uEKxebiPIpqPT
LwyI/gMj3OQCIQDiw48xH/taqEs5gRibwwmxLQXPjFKd4BSKyOnU+viPuw==
-----END CERTIFICATE-----
`;

let database: TestDatabase;
beforeAll(async () => {
  database = await createControllerDatabase();
});
afterAll(() => database.close());

async function endOf(resource: object): Promise<string | undefined> {
  const { rows } = await sql<{ at: Date | null }>`
    select certificates_end(${JSON.stringify(resource)}::json) as at`.execute(database.db);
  return rows[0]?.at?.toISOString().slice(0, 10);
}

const chain = (source: object) => ({ tls_certificate: { certificate_chain: source, private_key: {} } });
const base64 = (text: string) => Buffer.from(text).toString('base64');
/** Envoy accepts this too. */
const unpadded = (text: string) => base64(text).replaceAll('=', '');

it.each([
  ['as text', chain({ inline_string: SHOP }), '2026-04-01'],
  ['as bytes', chain({ inline_bytes: base64(SHOP) }), '2026-04-01'],
  [
    'as bytes for addresses',
    chain({ inline_bytes: base64(SHOP).replaceAll('+', '-').replaceAll('/', '_') }),
    '2026-04-01',
  ],
  ['as bytes without one of padding', chain({ inline_bytes: unpadded(SHOP) }), '2026-04-01'],
  ['as bytes without two of padding', chain({ inline_bytes: unpadded(`${SHOP}\n\n`) }), '2026-04-01'],
  ['with a time of four digits for the year', chain({ inline_string: AUTHORITY }), '2060-03-01'],
  ['whose earliest end counts', chain({ inline_string: AUTHORITY + SHOP }), '2026-04-01'],
  [
    'in a list',
    { common_tls_context: { tls_certificates: [chain({ inline_string: SHOP }).tls_certificate] } },
    '2026-04-01',
  ],
  ['of gRPC', { ssl_credentials: { cert_chain: { inline_string: SHOP } } }, '2026-04-01'],
])('a document expires with its certificate chain: %s', async (_, resource, ends) => {
  expect(await endOf(resource)).toBe(ends);
});

it('trusted certificates expire with the last of them', async () => {
  expect(await endOf({ validation_context: { trusted_ca: { inline_string: SHOP + AUTHORITY } } })).toBe('2060-03-01');
  expect(await endOf({ validation_context: { trusted_ca: { inline_string: SHOP } } })).toBe('2026-04-01');
});

const header = '-----BEGIN CERTIFICATE-----';
const footer = '-----END CERTIFICATE-----';
it.each([
  ['in a file', chain({ filename: '/etc/certs/shop.pem' })],
  ['that is not one', chain({ inline_string: 'no certificate' })],
  ['that is not base64', chain({ inline_bytes: '%' })],
  ['with two bytes', chain({ inline_string: `${header}MII=${footer}` })],
  ['cut off', chain({ inline_string: `${SHOP.slice(0, 200)}\n${footer}` })],
  [
    'with a length beyond the content',
    chain({ inline_string: `${header}${base64(`0${'\u007f'.repeat(200)}`)}${footer}` }),
  ],
  ['with a character that PostgreSQL cannot store', { ...chain({ inline_string: SHOP }), note: '\0' }],
  ['in another field', { local_reply: { inline_string: SHOP } }],
  ['that is a list', { certificate_chain: [SHOP], trusted_ca: null, cert_chain: 1, root_certs: 'x' }],
])('there is no end of a certificate %s', async (_, resource) => {
  expect(await endOf(resource)).toBeUndefined();
});

it('a damaged certificate does not hide the others', async () => {
  expect(await endOf(chain({ inline_string: `${header}MII=${footer}\n${SHOP}` }))).toBe('2026-04-01');
});

it('the end of a document is stored with it, and follows its content', async () => {
  const { owner } = database;
  await sql`insert into projects (id, name, created_at, updated_at) values (gen_random_uuid(), 'shop', now(), now())`.execute(
    owner,
  );
  const insert = (name: string, resource: object) =>
    sql`insert into documents (id, project_id, version, collection, name, type, resource, created_at, updated_at, updated_by)
      select gen_random_uuid(), id, '1.39.3', 'secrets', ${name}, 'x', ${JSON.stringify(resource)}, now(), now(), 'x'
      from projects where name = 'shop'`.execute(owner);
  await insert('file', chain({ filename: '/etc/certs/shop.pem' }));
  await insert('inline', chain({ inline_string: SHOP }));
  const ends = async () => {
    const { rows } = await sql<{ name: string; at: Date | null }>`
      select name, certificate_ends_at as at from documents order by name`.execute(owner);
    return Object.fromEntries(rows.map(({ name, at }) => [name, at?.toISOString().slice(0, 10)]));
  };
  expect(await ends()).toEqual({ file: undefined, inline: '2026-04-01' });
  const certificate = JSON.stringify(chain({ inline_string: SHOP }));
  await sql`update documents set resource = ${certificate} where name = 'file'`.execute(owner);
  await sql`update documents set resource = '{}' where name = 'inline'`.execute(owner);
  expect(await ends()).toEqual({ file: '2026-04-01', inline: undefined });
});

import { createTestDatabase, type TestDatabase } from '@flotilla/testkit';
import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { up } from './0038-certificate-ends.ts';

/** Of shop.example.com, for March 2026. */
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
  database = await createTestDatabase();
});
afterAll(() => database.close());

async function endOf(resource: object): Promise<string | undefined> {
  const { rows } = await sql<{ at: Date | null }>`
    select certificates_end(${JSON.stringify(resource)}::json) as at`.execute(database.db);
  return rows[0]?.at?.toISOString().slice(0, 10);
}

const chain = (source: object) => ({ tls_certificate: { certificate_chain: source, private_key: {} } });
const base64 = (text: string) => Buffer.from(text).toString('base64');
/** As Envoy takes it, too. */
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
  ['of which the first ends', chain({ inline_string: AUTHORITY + SHOP }), '2026-04-01'],
  [
    'in a list',
    { common_tls_context: { tls_certificates: [chain({ inline_string: SHOP }).tls_certificate] } },
    '2026-04-01',
  ],
  ['of gRPC', { ssl_credentials: { cert_chain: { inline_string: SHOP } } }, '2026-04-01'],
])('a document ends with its chain: %s', async (_, resource, ends) => {
  expect(await endOf(resource)).toBe(ends);
});

it('what is trusted ends with the last of it', async () => {
  expect(await endOf({ validation_context: { trusted_ca: { inline_string: SHOP + AUTHORITY } } })).toBe('2060-03-01');
  expect(await endOf({ validation_context: { trusted_ca: { inline_string: SHOP } } })).toBe('2026-04-01');
});

const header = '-----BEGIN CERTIFICATE-----';
const footer = '-----END CERTIFICATE-----';
it.each([
  ['in a file', chain({ filename: '/etc/certs/shop.pem' })],
  ['that is none', chain({ inline_string: 'no certificate' })],
  ['that is no bytes', chain({ inline_bytes: '%' })],
  ['of two bytes', chain({ inline_string: `${header}MII=${footer}` })],
  ['cut off', chain({ inline_string: `${SHOP.slice(0, 200)}\n${footer}` })],
  ['with a length beyond all', chain({ inline_string: `${header}${base64(`0${'\u007f'.repeat(200)}`)}${footer}` })],
  ['with a character that no text has', { ...chain({ inline_string: SHOP }), note: '\0' }],
  ['elsewhere', { local_reply: { inline_string: SHOP } }],
  ['that is a list', { certificate_chain: [SHOP], trusted_ca: null, cert_chain: 1, root_certs: 'x' }],
])('says nothing of a certificate %s', async (_, resource) => {
  expect(await endOf(resource)).toBeUndefined();
});

it('a damaged one does not hide the others', async () => {
  expect(await endOf(chain({ inline_string: `${header}MII=${footer}\n${SHOP}` }))).toBe('2026-04-01');
});

it('documents that are there get theirs; later ones follow what they hold', async () => {
  const { owner } = database;
  // As the migrations before it leave things.
  await sql`
    drop trigger certificate_end_derived on documents;
    alter table documents drop column certificate_ends_at;
    drop function derive_certificate_end, certificates_end, source_end, certificate_end, der_end, der_content;
    insert into projects (id, name, created_at, updated_at) values (gen_random_uuid(), 'shop', now(), now());
  `.execute(owner);
  const insert = (name: string, resource: object) =>
    sql`insert into documents (id, project_id, version, collection, name, type, resource, created_at, updated_at, updated_by)
      select gen_random_uuid(), id, '1.39.3', 'secrets', ${name}, 'x', ${JSON.stringify(resource)}, now(), now(), 'x'
      from projects where name = 'shop'`.execute(owner);
  await insert('old', chain({ inline_string: SHOP }));
  await insert('file', chain({ filename: '/etc/certs/shop.pem' }));
  // A migration knows no tables: theirs are of another time.
  await up(owner as unknown as Kysely<unknown>);
  await insert('new', chain({ inline_string: AUTHORITY }));
  const ends = async () => {
    const { rows } = await sql<{ name: string; at: Date | null }>`
      select name, certificate_ends_at as at from documents order by name`.execute(owner);
    return Object.fromEntries(rows.map(({ name, at }) => [name, at?.toISOString().slice(0, 10)]));
  };
  expect(await ends()).toEqual({ file: undefined, new: '2060-03-01', old: '2026-04-01' });
  await sql`update documents set resource = ${JSON.stringify(chain({ inline_string: SHOP }))} where name = 'file'`.execute(
    owner,
  );
  await sql`update documents set resource = '{}' where name = 'old'`.execute(owner);
  expect(await ends()).toEqual({ file: '2026-04-01', new: '2060-03-01', old: undefined });
});

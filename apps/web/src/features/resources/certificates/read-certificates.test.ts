import { describe, expect, it } from 'vitest';
import { judgeCertificate, readCertificates } from './read-certificates.ts';

/** Certificate for shop.example.com, valid in March 2026. */
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
/** Has no common name and expires in 2060, so that its end is a GeneralizedTime. */
const AUTHORITY = `-----BEGIN CERTIFICATE-----
MIIBFzCBvaADAgECAgEBMAoGCCqGSM49BAMCMBIxEDAOBgNVBAoTB0V4YW1wbGUw
IBcNMjYwMzAxMDAwMDAwWhgPMjA2MDAzMDEwMDAwMDBaMBIxEDAOBgNVBAoTB0V4
YW1wbGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARwxwh4UQGbboO/UYmGTCGW
iIMw+lYBUzcTsjKMBsLmZktFFWhAARHPk5h3ADksfmIX/rVFWo1RnyK9lSyxLu7I
owIwADAKBggqhkjOPQQDAgNJADBGAiEAheFacQP2gGym+tm3m/9uEKxebiPIpqPT
LwyI/gMj3OQCIQDiw48xH/taqEs5gRibwwmxLQXPjFKd4BSKyOnU+viPuw==
-----END CERTIFICATE-----
`;
const at = (day: string) => Date.parse(`${day}T00:00:00Z`);

describe('the certificates of a document', () => {
  it('are listed with subject and dates, the first to expire first', () => {
    const resource = { tls_certificate: { certificate_chain: { inline_string: `${AUTHORITY}${SHOP}` } } };
    expect(readCertificates(resource)).toEqual([
      { subject: 'shop.example.com', validFrom: at('2026-03-01'), validUntil: at('2026-04-01') },
      { subject: '', validFrom: at('2026-03-01'), validUntil: at('2060-03-01') },
    ]);
  });

  it('are listed once each, even if one is used in several places', () => {
    const resource = {
      trusted_ca: { inline_string: AUTHORITY },
      certificate_chain: { inline_string: SHOP + AUTHORITY },
    };
    expect(readCertificates(resource).map(({ subject }) => subject)).toEqual(['shop.example.com', '']);
  });

  it('may be base64 bytes', () => {
    expect(readCertificates({ certificate_chain: { inline_bytes: btoa(SHOP) } })).toHaveLength(1);
  });

  it.each([
    'no certificate',
    '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
    SHOP.replace('MIIBSjCB8aADAgEC', 'MIIBSjCB8aADAgEF'.slice(0, 12)),
    `${SHOP.slice(0, 200)}\n-----END CERTIFICATE-----`,
  ])('are empty if nothing can be parsed: %#', (text) => {
    expect(readCertificates({ inline_string: text, inline_bytes: text })).toEqual([]);
  });
});

it('a certificate is marked for renewal one month before it expires, and before it becomes valid', () => {
  const [certificate] = readCertificates({ inline_string: AUTHORITY });
  const judge = (day: string) => certificate && judgeCertificate(certificate, at(day));
  expect(['2026-02-28', '2026-03-01', '2060-01-31', '2060-02-01', '2060-03-01'].map(judge)).toEqual([
    'not_yet',
    'valid',
    'valid',
    'ends_soon',
    'ended',
  ]);
});

import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { isOfAccessToken } from './at-hash.ts';

const ACCESS_TOKEN = 'jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y';
const tokenOf = (alg: string) => `${Buffer.from(JSON.stringify({ alg })).toString('base64url')}.e30.`;

it.each([
  ['RS256', 'sha256'],
  ['PS384', 'sha384'],
  ['ES512', 'sha512'],
  ['EdDSA', 'sha512'],
  ['Ed25519', 'sha512'],
])('an ID token signed by %s belongs to the access token with half of its %s, and to no other', (alg, hash) => {
  const digest = createHash(hash).update(ACCESS_TOKEN).digest();
  const claims = { at_hash: digest.subarray(0, digest.length / 2).toString('base64url') };
  expect(isOfAccessToken(tokenOf(alg), claims, ACCESS_TOKEN)).toBe(true);
  expect(isOfAccessToken(tokenOf(alg), claims, `${ACCESS_TOKEN}x`)).toBe(false);
});

it('an ID token is refused if no hash is known for its signature, and accepted without a claim', () => {
  expect(isOfAccessToken(tokenOf('constructor'), { at_hash: 'x' }, ACCESS_TOKEN)).toBe(false);
  expect(isOfAccessToken(tokenOf('RS256'), {}, ACCESS_TOKEN)).toBe(true);
});

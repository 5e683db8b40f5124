import { argon2Sync, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createDecoyHash, hashPassword, verifyPassword } from './passwords.ts';

const COMPOSED = 'žluťoučký kůň 7'.normalize('NFC');
const TAKEN_APART = COMPOSED.normalize('NFD');

it('a password is the same, however a keyboard composes its letters', async () => {
  expect(COMPOSED).not.toBe(TAKEN_APART);
  for (const chosen of [COMPOSED, TAKEN_APART]) {
    const stored = await hashPassword(chosen);
    expect(await verifyPassword(COMPOSED, stored)).toBe(true);
    expect(await verifyPassword(TAKEN_APART, stored)).toBe(true);
    expect(await verifyPassword(`${COMPOSED}.`, stored)).toBe(false);
  }
});

it('a password stored before normalisation is still accepted', async () => {
  const nonce = randomBytes(16);
  const cost = { memory: 19 * 1024, passes: 2, parallelism: 1, tagLength: 32 };
  const tag = argon2Sync('argon2id', { message: TAKEN_APART, nonce, ...cost });
  const stored = `$argon2id$v=19$m=19456,t=2,p=1$${nonce.toString('base64')}$${tag.toString('base64')}`;
  expect(await verifyPassword(TAKEN_APART, stored)).toBe(true);
  expect(await verifyPassword(`${TAKEN_APART}.`, stored)).toBe(false);
});

it('a decoy looks like a hash, differs each time, and matches no password', async () => {
  const [decoy, other] = [createDecoyHash(), createDecoyHash()];
  const shape = (hash: string) => hash.replaceAll(/[^$]{22,}/g, (part) => `<${part.length}>`);
  expect(shape(decoy)).toBe(shape(await hashPassword(COMPOSED)));
  expect(decoy).not.toBe(other);
  expect(await verifyPassword('', decoy)).toBe(false);
  expect(await verifyPassword(COMPOSED, decoy)).toBe(false);
});

import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { Cipher } from '../../../platform/keyring/cipher.ts';
import { haKeysContext } from './encryption-context.ts';

const SECRET_BYTES = 32;

const keysSchema = z.object({
  /** One, or two while they are replaced. Members accept all. */
  keys: z.array(z.object({ id: z.int(), secret: z.base64() })),
  /** The id of the key that signs. */
  sends: z.int(),
});
/** The keys of the heartbeats of a pair. */
export type Keys = z.infer<typeof keysSchema>;

export function createKeys(): Keys {
  return { keys: [createKey(1)], sends: 1 };
}

/** The members learn the next key, and still sign with the old one. */
export function acceptNext({ keys, sends }: Keys): Keys {
  return { keys: [...keys, createKey(Math.max(...keys.map(({ id }) => id)) + 1)], sends };
}

/** The members sign with the next key, and still accept the old one. */
export function signWithNext({ keys }: Keys): Keys {
  return { keys, sends: Math.max(...keys.map(({ id }) => id)) };
}

/** Only the key that signs remains. */
export function dropOld({ keys, sends }: Keys): Keys {
  return { keys: keys.filter(({ id }) => id === sends), sends };
}

/** Only a new key, which no earlier member knows. */
export function replaceKeys({ keys }: Keys): Keys {
  const id = Math.max(...keys.map((key) => key.id)) + 1;
  return { keys: [createKey(id)], sends: id };
}

function createKey(id: number) {
  return { id, secret: randomBytes(SECRET_BYTES).toString('base64') };
}

export function sealKeys(cipher: Cipher, pairId: string, keys: Keys): Buffer {
  return cipher.encrypt(Buffer.from(JSON.stringify(keys)), haKeysContext(pairId));
}

/** Throws keys.not_read for keys that another controller has encrypted with a key that this one has not read yet. */
export function openKeys(cipher: Cipher, pairId: string, sealed: Buffer): Keys {
  return keysSchema.parse(JSON.parse(cipher.decrypt(sealed, haKeysContext(pairId)).toString()));
}

import { argon2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { isSameSecret } from '@flotilla/kit';

const derive = promisify(argon2);

/** OWASP password storage: argon2id with 19 MiB, two passes, one lane. */
const COST = { memory: 19 * 1024, passes: 2, parallelism: 1, tagLength: 32 } as const;

/** Normalises composed letters, which keyboards encode differently (Unicode NFC). */
export function normalizePassword(password: string): string {
  return password.normalize('NFC');
}

/** PHC string format: `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const tag = await derive('argon2id', { message: normalizePassword(password), nonce: salt, ...COST });
  return describeHash(salt, tag);
}

/** Dummy hash: no password matches it, and verifying costs as much as for a real one. */
export function createDecoyHash(): string {
  return describeHash(randomBytes(16), randomBytes(COST.tagLength));
}

function describeHash(salt: Buffer, tag: Buffer): string {
  const encode = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${encode(salt)}$${encode(tag)}`;
}

/**
 * Verifies a password against `stored`, which may be older than the normalisation. The amount of work depends on the
 * typed password, never on what is stored.
 */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const normal = normalizePassword(password);
  const isRight = await matches(normal, stored);
  if (normal === password) return isRight;
  const isRightAsTyped = await matches(password, stored);
  return isRight || isRightAsTyped;
}

async function matches(password: string, stored: string): Promise<boolean> {
  const parts = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(stored);
  if (!parts) return false;
  const [, memory, passes, parallelism, salt, expected] = parts;
  const tag = Buffer.from(expected ?? '', 'base64');
  const actual = await derive('argon2id', {
    message: password,
    nonce: Buffer.from(salt ?? '', 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: tag.length,
  });
  return isSameSecret(actual, tag);
}

import { Buffer } from 'node:buffer';
import { createHash, randomBytes, sign } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import type { BACKUP_ERRORS } from '@flotilla/contract';
import { AppError } from '@flotilla/kit';
import { isFullTier } from '@flotilla/kit/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readBackup, readHeader } from './index.ts';
import { digestWhole, FORMAT, MAGIC } from './layout.ts';
import { createTestSecret, createTestSigner, inChunks, sectionOf, writeTestBackup } from './testing/backup.ts';

/** Some tests read a whole file thousands of times. */
const LONG = { timeout: 90_000 };

type Code = keyof typeof BACKUP_ERRORS;

const signer = createTestSigner();
const installation = createTestSecret();
const trusted = new Set([signer.fingerprint]);
const order = { trusted, secret: installation.secret };
const rows = [
  { name: 'a', text: 'äöü\n"' },
  { name: 'b', at: [1, null, true] },
];
const sections = [sectionOf('documents', rows), sectionOf('policies', []), sectionOf('services', [{ name: 's' }])];
const encrypted = await writeTestBackup({ signer, protection: installation.protection, sections });
const plain = await writeTestBackup({ signer, protection: { kind: 'none' }, sections });

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'read';
  } catch (error) {
    return error instanceof AppError ? error.code : `unexpected: ${String(error)}`;
  }
}

const read = (file: Buffer, options: Parameters<typeof readBackup>[1] = order) =>
  readBackup(inChunks(file, 313), options);

describe('a backup can be read', () => {
  it.each([
    ['encrypted', encrypted],
    ['not encrypted', plain],
  ])('that is %s', async (_, file) => {
    const got: [string, unknown][] = [];
    const onRow = async (section: string, row: unknown) => void got.push([section, row]);
    const { manifest } = await read(file, { ...order, onRow });
    expect(got).toEqual([...rows.map((row) => ['documents', row]), ['services', { name: 's' }]]);
    expect(manifest.sections.map((section) => section.rows)).toEqual([2, 0, 1]);
  });

  it('for any rows and any size of chunks, with sections of many pieces', LONG, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue(), { maxLength: 20 }),
        fc.integer({ min: 1, max: 200_000 }),
        fc.integer({ min: 0, max: 300_000 }),
        async (values, chunk, noise) => {
          const all = [...values, randomBytes(noise).toString('base64')].map((value) =>
            JSON.parse(JSON.stringify(value)),
          );
          const file = await writeTestBackup({
            signer,
            protection: installation.protection,
            sections: [sectionOf('one', all), sectionOf('two', all)],
          });
          const got: unknown[] = [];
          await readBackup(inChunks(file, Math.max(chunk, 100)), {
            ...order,
            onRow: async (_, row) => void got.push(row),
          });
          expect(got).toEqual([...all, ...all]);
        },
      ),
      { numRuns: 30 },
    );
  });
});

/** Every byte, or every fifth: each part of a file has many times that. */
const STEP = isFullTier ? 1 : 5;

describe('reading refuses a backup', () => {
  it('that is truncated after any number of bytes', LONG, async () => {
    for (const file of [encrypted, plain]) {
      for (let length = 0; length < file.length; length += STEP)
        expect(await codeOf(read(file.subarray(0, length))), `${length} of ${file.length}`).toBe('backup.truncated');
    }
  });

  it('with any bit flipped', LONG, async () => {
    const codes: Code[] = ['backup.not_a_backup', 'backup.tampered', 'backup.truncated'];
    for (const file of [encrypted, plain]) {
      for (let at = 0; at < file.length; at += STEP) {
        const flipped = Buffer.from(file);
        flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8));
        expect(codes, `byte ${at}`).toContain(await codeOf(read(flipped)));
      }
    }
  });

  it('with bytes after its end', async () => {
    for (const file of [encrypted, plain])
      expect(await codeOf(read(Buffer.concat([file, Buffer.from([0])])))).toBe('backup.tampered');
  });

  it('with pieces that are reordered, missing, repeated, or from another file with the same key', async () => {
    const big = [sectionOf('one', [randomBytes(150_000).toString('base64')]), sectionOf('two', [1])];
    for (const protection of [installation.protection, { kind: 'none' } as const]) {
      const file = await writeTestBackup({ signer, protection, sections: big });
      const { head, pieces, tail } = cut(file);
      expect(pieces.length).toBeGreaterThan(4);
      const [first, second, third, ...rest] = pieces as [Buffer, Buffer, Buffer, ...Buffer[]];
      const variants = [
        [second, first, third, ...rest],
        [first, third, ...rest],
        [first, first, second, third, ...rest],
        [first, second, third, ...rest.toReversed()],
      ];
      for (const variant of variants)
        expect(['backup.tampered', 'backup.truncated']).toContain(
          await codeOf(read(Buffer.concat([head, ...variant, tail]))),
        );
    }
    const [one, other] = await Promise.all(
      [1, 2].map(() => writeTestBackup({ signer, protection: installation.protection, sections })),
    );
    if (!one || !other) throw new Error('expected two files');
    const mixed = Buffer.concat([cut(one).head, ...cut(other).pieces, cut(other).tail]);
    expect(await codeOf(read(mixed))).toBe('backup.tampered');
  });

  it('without the right passphrase', LONG, async () => {
    const protection = { kind: 'passphrase', passphrase: 'a phrase to remember' } as const;
    const file = await writeTestBackup({ signer, protection, sections });
    expect(await codeOf(read(file, { trusted, passphrase: 'a phrase to remembers' }))).toBe('backup.wrong_passphrase');
    expect(await codeOf(read(file, { trusted }))).toBe('backup.passphrase_needed');
    expect(await codeOf(read(file, { trusted, passphrase: 'a phrase to remember' }))).toBe('read');
    expect(file.includes('äöü')).toBe(false);
  });

  it('that is encrypted for another installation', async () => {
    for (const other of [{ trusted, secret: randomBytes(32) }, { trusted }])
      expect(await codeOf(read(encrypted, other))).toBe('backup.foreign_key');
  });

  it('of an unknown signer, unless its fingerprint is trusted', async () => {
    const other = createTestSigner();
    const file = await writeTestBackup({ signer: other, protection: installation.protection, sections });
    expect(await codeOf(read(file))).toBe('backup.foreign_signer');
    expect(await codeOf(read(file, { ...order, trusted: new Set([...trusted, other.fingerprint]) }))).toBe('read');
  });

  it('without encryption that was changed and signed with another key than its header contains', async () => {
    const { head, pieces } = cut(plain);
    const headerDigest = head.subarray(head.length - 32);
    const body = createHash('sha256').update(Buffer.concat(pieces)).digest();
    const forged = sign(null, digestWhole(headerDigest, body), createTestSigner().privateKey);
    const own = sign(null, digestWhole(headerDigest, body), signer.privateKey);
    expect(await codeOf(read(Buffer.concat([head, ...pieces, own])))).toBe('read');
    expect(await codeOf(read(Buffer.concat([head, ...pieces, forged])))).toBe('backup.tampered');
  });

  it('of a newer format, also if its header has unknown fields', async () => {
    for (const header of [{ format: FORMAT + 1 }, { format: FORMAT + 1, novelty: true } as object]) {
      const file = await writeTestBackup({ signer, protection: installation.protection, sections, header });
      expect(await codeOf(read(file))).toBe('backup.too_new');
      expect(await codeOf(readHeader(inChunks(file)))).toBe('backup.too_new');
    }
  });

  it('with a small piece that unpacks to a huge row', LONG, async () => {
    const bomb = zstdCompressSync(Buffer.alloc(80 * 1024 * 1024, 'x'));
    expect(bomb.length).toBeLessThan(60_000);
    const { head, pieces, tail } = cut(plain);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bomb.length);
    const file = Buffer.concat([head, Buffer.from([1]), length, bomb, ...pieces.slice(1), tail]);
    expect(await codeOf(read(file))).toBe('backup.too_large');
  });

  it('with a header that asks for a key derivation with too much memory', async () => {
    const text = JSON.stringify({ format: 1, encryption: { kind: 'passphrase', n: 2 ** 30, r: 8, p: 1 } });
    const length = Buffer.alloc(4);
    length.writeUInt32BE(text.length);
    const file = Buffer.concat([MAGIC, length, Buffer.from(text), createHash('sha256').update(text).digest()]);
    expect(await codeOf(read(file, { trusted, passphrase: 'any passphrase' }))).toBe('backup.tampered');
  });

  it('that is another kind of file', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 8, maxLength: 5000 }), async (bytes) => {
        expect(await codeOf(read(Buffer.from(bytes)))).toBe('backup.not_a_backup');
      }),
      { numRuns: 50 },
    );
  });
});

/** Splits a file into its header with digest, its pieces with their lengths, and its signature. */
function cut(file: Buffer): { head: Buffer; pieces: Buffer[]; tail: Buffer } {
  const end = MAGIC.length + 4 + file.readUInt32BE(MAGIC.length) + 32;
  const pieces: Buffer[] = [];
  let at = end;
  while (at < file.length - 64) {
    const next = at + 5 + file.readUInt32BE(at + 1);
    pieces.push(file.subarray(at, next));
    at = next;
  }
  return { head: file.subarray(0, end), pieces, tail: file.subarray(file.length - 64) };
}

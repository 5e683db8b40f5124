import { Buffer } from 'node:buffer';
import { createHash, randomBytes, sign } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import type { BACKUP_ERRORS } from '@flotilla/contract';
import { AppError } from '@flotilla/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readBackup, readHeader } from './index.ts';
import { digestWhole, FORMAT, MAGIC } from './layout.ts';
import { createTestSecret, createTestSigner, inChunks, sectionOf, writeTestBackup } from './testing/backup.ts';

/** For some thousand readings of a whole file. */
const LONG = { timeout: 60_000 };

type Code = keyof typeof BACKUP_ERRORS;

const signer = createTestSigner();
const seal = createTestSecret();
const trusted = new Set([signer.fingerprint]);
const order = { trusted, secret: seal.secret };
const rows = [
  { name: 'a', text: 'äöü\n"' },
  { name: 'b', at: [1, null, true] },
];
const sections = [sectionOf('documents', rows), sectionOf('policies', []), sectionOf('services', [{ name: 's' }])];
const sealed = await writeTestBackup({ signer, protection: seal.protection, sections });
const open = await writeTestBackup({ signer, protection: { kind: 'none' }, sections });

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'read';
  } catch (error) {
    return error instanceof AppError ? error.code : `not refused but broken: ${String(error)}`;
  }
}

const read = (file: Buffer, options: Parameters<typeof readBackup>[1] = order) =>
  readBackup(inChunks(file, 313), options);

describe('what is written is read again', () => {
  it.each([
    ['sealed', sealed],
    ['open', open],
  ])('%s', async (_, file) => {
    const got: [string, unknown][] = [];
    const onRow = async (section: string, row: unknown) => void got.push([section, row]);
    const { manifest } = await read(file, { ...order, onRow });
    expect(got).toEqual([...rows.map((row) => ['documents', row]), ['services', { name: 's' }]]);
    expect(manifest.sections.map((section) => section.rows)).toEqual([2, 0, 1]);
  });

  it('whatever the rows and however the bytes arrive, with sections of many pieces', LONG, async () => {
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
            protection: seal.protection,
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

describe('refused, each with its own code', () => {
  it('cut off after any number of bytes', LONG, async () => {
    for (const file of [sealed, open]) {
      for (let length = 0; length < file.length; length += 1)
        expect(await codeOf(read(file.subarray(0, length))), `${length} of ${file.length}`).toBe('backup.truncated');
    }
  });

  it('with any one bit turned over', LONG, async () => {
    const codes: Code[] = ['backup.not_a_backup', 'backup.tampered', 'backup.truncated'];
    for (const file of [sealed, open]) {
      for (let at = 0; at < file.length; at += 1) {
        const turned = Buffer.from(file);
        turned[at] = (turned[at] ?? 0) ^ (1 << (at % 8));
        expect(codes, `byte ${at}`).toContain(await codeOf(read(turned)));
      }
    }
  });

  it('with bytes after its end', async () => {
    for (const file of [sealed, open])
      expect(await codeOf(read(Buffer.concat([file, Buffer.from([0])])))).toBe('backup.tampered');
  });

  it('with pieces in another order, left out, doubled, or of another file under the same key', async () => {
    const big = [sectionOf('one', [randomBytes(150_000).toString('base64')]), sectionOf('two', [1])];
    for (const protection of [seal.protection, { kind: 'none' } as const]) {
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
      [1, 2].map(() => writeTestBackup({ signer, protection: seal.protection, sections })),
    );
    if (!one || !other) throw new Error('there are two');
    const mixed = Buffer.concat([cut(one).head, ...cut(other).pieces, cut(other).tail]);
    expect(await codeOf(read(mixed))).toBe('backup.tampered');
  });

  it('with another pass phrase, and without one', LONG, async () => {
    const protection = { kind: 'passphrase', passphrase: 'a phrase to remember' } as const;
    const file = await writeTestBackup({ signer, protection, sections });
    expect(await codeOf(read(file, { trusted, passphrase: 'a phrase to remembers' }))).toBe('backup.wrong_passphrase');
    expect(await codeOf(read(file, { trusted }))).toBe('backup.passphrase_needed');
    expect(await codeOf(read(file, { trusted, passphrase: 'a phrase to remember' }))).toBe('read');
    expect(file.includes('äöü')).toBe(false);
  });

  it('sealed for another installation', async () => {
    for (const other of [{ trusted, secret: randomBytes(32) }, { trusted }])
      expect(await codeOf(read(sealed, other))).toBe('backup.foreign_key');
  });

  it('signed by somebody else, until the fingerprint is named', async () => {
    const other = createTestSigner();
    const file = await writeTestBackup({ signer: other, protection: seal.protection, sections });
    expect(await codeOf(read(file))).toBe('backup.foreign_signer');
    expect(await codeOf(read(file, { ...order, trusted: new Set([...trusted, other.fingerprint]) }))).toBe('read');
  });

  it('in an open file, rewritten and signed with another key under the name of the first', async () => {
    const { head, pieces } = cut(open);
    const headerDigest = head.subarray(head.length - 32);
    const body = createHash('sha256').update(Buffer.concat(pieces)).digest();
    const forged = sign(null, digestWhole(headerDigest, body), createTestSigner().privateKey);
    const own = sign(null, digestWhole(headerDigest, body), signer.privateKey);
    expect(await codeOf(read(Buffer.concat([head, ...pieces, own])))).toBe('read');
    expect(await codeOf(read(Buffer.concat([head, ...pieces, forged])))).toBe('backup.tampered');
  });

  it('of a newer format, also where its header has members that we do not know', async () => {
    for (const header of [{ format: FORMAT + 1 }, { format: FORMAT + 1, novelty: true } as object]) {
      const file = await writeTestBackup({ signer, protection: seal.protection, sections, header });
      expect(await codeOf(read(file))).toBe('backup.too_new');
      expect(await codeOf(readHeader(inChunks(file)))).toBe('backup.too_new');
    }
  });

  it('where a small piece unpacks to a row without end', LONG, async () => {
    const bomb = zstdCompressSync(Buffer.alloc(80 * 1024 * 1024, 'x'));
    expect(bomb.length).toBeLessThan(60_000);
    const { head, pieces, tail } = cut(open);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bomb.length);
    const file = Buffer.concat([head, Buffer.from([1]), length, bomb, ...pieces.slice(1), tail]);
    expect(await codeOf(read(file))).toBe('backup.too_large');
  });

  it('where a header asks for a key that would take all memory', async () => {
    const text = JSON.stringify({ format: 1, encryption: { kind: 'passphrase', n: 2 ** 30, r: 8, p: 1 } });
    const length = Buffer.alloc(4);
    length.writeUInt32BE(text.length);
    const file = Buffer.concat([MAGIC, length, Buffer.from(text), createHash('sha256').update(text).digest()]);
    expect(await codeOf(read(file, { trusted, passphrase: 'whatever it is' }))).toBe('backup.tampered');
  });

  it('that is anything else', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 8, maxLength: 5000 }), async (bytes) => {
        expect(await codeOf(read(Buffer.from(bytes)))).toBe('backup.not_a_backup');
      }),
      { numRuns: 50 },
    );
  });
});

/** Header with its digest, the pieces with their lengths, the signature. */
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

import { Buffer } from 'node:buffer';
import { createCipheriv, createHash, type KeyObject, sign } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';
import type { ContentKey } from './keys.ts';
import {
  digestWhole,
  type Header,
  MAGIC,
  MANIFEST_SECTION,
  type Manifest,
  nonceOf,
  PIECE_BYTES,
  type SectionDigest,
} from './layout.ts';

/** Consumes bytes; resolves when it can accept more. */
export type Sink = (bytes: Buffer) => Promise<void>;

export interface Section {
  readonly name: string;
  /** Each row is a JSON value. */
  rows(): AsyncIterable<unknown>;
}

export interface BackupOrder {
  readonly header: Omit<Header, 'encryption' | 'sections'>;
  readonly contentKey: ContentKey;
  readonly signingKey: KeyObject;
  readonly sections: readonly Section[];
  /** Called after the sections are written. */
  sequences(): Promise<Manifest['sequences']>;
}

/** Writes a whole backup and holds only a few pieces of it in memory. */
export async function writeBackup(order: BackupOrder, sink: Sink): Promise<{ header: Header; manifest: Manifest }> {
  const { contentKey, sections } = order;
  const header: Header = {
    ...order.header,
    encryption: contentKey.encryption,
    sections: sections.map(({ name }) => name),
  };
  const headerBytes = Buffer.from(JSON.stringify(header));
  const headerDigest = createHash('sha256').update(headerBytes).digest();
  await sink(Buffer.concat([MAGIC, lengthOf(headerBytes), headerBytes, headerDigest]));

  const frames = new Frames({ key: contentKey.key, headerDigest, sink });
  const digests: SectionDigest[] = [];
  for (const [index, section] of sections.entries()) digests.push(await writeSection(section, index, frames));
  const manifest: Manifest = { sections: digests, sequences: await order.sequences() };
  const manifestBytes = Buffer.from(JSON.stringify(manifest));
  await frames.write(MANIFEST_SECTION, async (put) => put(manifestBytes));
  await sink(sign(null, digestWhole(headerDigest, frames.digest()), order.signingKey));
  return { header, manifest };
}

async function writeSection({ name, rows }: Section, index: number, frames: Frames): Promise<SectionDigest> {
  const hash = createHash('sha256');
  const totals = { rows: 0, bytes: 0 };
  const lines = async function* (): AsyncGenerator<Buffer> {
    for await (const row of rows()) {
      const line = Buffer.from(`${JSON.stringify(row)}\n`);
      hash.update(line);
      totals.rows += 1;
      totals.bytes += line.length;
      yield line;
    }
  };
  await frames.write(index, (put) =>
    pipeline(Readable.from(lines(), { objectMode: false }), createZstdCompress(), async (packed) => {
      for await (const chunk of packed) await put(chunk as Buffer);
    }),
  );
  return { name, ...totals, sha256: hash.digest('hex') };
}

/** Cuts content into pieces of equal size and encrypts each for its position. */
class Frames {
  readonly #key: Buffer | undefined;
  readonly #headerDigest: Buffer;
  readonly #sink: Sink;
  readonly #hash = createHash('sha256');

  constructor(deps: { key: Buffer | undefined; headerDigest: Buffer; sink: Sink }) {
    this.#key = deps.key;
    this.#headerDigest = deps.headerDigest;
    this.#sink = deps.sink;
  }

  async write(section: number, produce: (put: Sink) => Promise<void>): Promise<void> {
    let waiting: Buffer = Buffer.alloc(0);
    let counter = 0;
    await produce(async (bytes) => {
      waiting = Buffer.concat([waiting, bytes]);
      // Keeps at least one byte back, because the last piece must be marked as such.
      while (waiting.length > PIECE_BYTES) {
        await this.#put({ section, counter, isLast: false }, waiting.subarray(0, PIECE_BYTES));
        waiting = waiting.subarray(PIECE_BYTES);
        counter += 1;
      }
    });
    await this.#put({ section, counter, isLast: true }, waiting);
  }

  async #put(at: { section: number; counter: number; isLast: boolean }, piece: Buffer): Promise<void> {
    const content = this.#encrypt(at, piece);
    const frame = Buffer.concat([Buffer.from([at.isLast ? 1 : 0]), lengthOf(content), content]);
    this.#hash.update(frame);
    await this.#sink(frame);
  }

  /** Returns the digest of all frames. */
  digest(): Buffer {
    return this.#hash.digest();
  }

  #encrypt({ section, counter, isLast }: { section: number; counter: number; isLast: boolean }, piece: Buffer): Buffer {
    if (this.#key === undefined) return piece;
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonceOf(section, counter, isLast));
    cipher.setAAD(this.#headerDigest);
    return Buffer.concat([cipher.update(piece), cipher.final(), cipher.getAuthTag()]);
  }
}

function lengthOf(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return length;
}

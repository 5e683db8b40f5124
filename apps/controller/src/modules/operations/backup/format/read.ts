import { Buffer } from 'node:buffer';
import { createDecipheriv, createHash, createPublicKey, type Hash, verify } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import { failBackup } from '@flotilla/contract';
import { AppError, isSameSecret } from '@flotilla/kit';
import { derive, deriveFromSecret, openRoot } from './keys.ts';
import {
  digestWhole,
  FORMAT,
  fingerprintOf,
  HEADER_MAX_BYTES,
  type Header,
  headerSchema,
  MAGIC,
  MANIFEST_SECTION,
  type Manifest,
  manifestSchema,
  nonceOf,
  PIECE_BYTES,
  ROW_MAX_BYTES,
  type SectionDigest,
  SIGNATURE_BYTES,
  TAG_BYTES,
  UNPACKED_MAX_BYTES,
} from './layout.ts';
import { ByteSource } from './source.ts';

export interface ReadOrder {
  readonly passphrase?: string | undefined;
  /** The backup secret of this installation; decrypts backups that are encrypted for it. */
  readonly secret?: Buffer;
  /** Fingerprints of trusted signers. */
  readonly trusted: ReadonlySet<string>;
  /** Limit of the unpacked size; 16 GiB by default. */
  readonly maxBytes?: number;
  /** Called with every row, in order. Rows are not verified until `readBackup` has returned. */
  readonly onRow?: (section: string, row: unknown) => Promise<void>;
  /** Cancels reading, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface ReadBackup {
  readonly header: Header;
  readonly manifest: Manifest;
}

/** Reads only the header, without verifying the signature. */
export async function readHeader(chunks: AsyncIterable<Buffer>): Promise<Header> {
  const source = new ByteSource(chunks);
  try {
    return (await takeHeader(source)).header;
  } finally {
    await source.close();
  }
}

/** Reads a whole backup and verifies its pieces, digests and signature. Throws a `backup.*` error that names the defect. */
export async function readBackup(chunks: AsyncIterable<Buffer>, order: ReadOrder): Promise<ReadBackup> {
  const source = new ByteSource(chunks);
  try {
    const { header, headerDigest } = await takeHeader(source);
    const fingerprint = fingerprintOf(Buffer.from(header.public_key, 'base64'));
    const key = await openKey(header, order);
    // Checked after the key: without the passphrase, a reader learns nothing else about the file.
    if (!order.trusted.has(fingerprint)) throw failBackup('backup.foreign_signer', { fingerprint });
    const frames = { source, key, headerDigest, hash: createHash('sha256') };
    const budget = { left: order.maxBytes ?? UNPACKED_MAX_BYTES };
    const digests: SectionDigest[] = [];
    for (const [index, name] of header.sections.entries())
      digests.push(await readSection({ name, index, frames, budget }, order));
    const manifestBytes = await readManifest(frames);
    const signature = await source.take(SIGNATURE_BYTES);
    if (!(await source.isAtEnd())) throw failBackup('backup.tampered', { reason: 'data follows its end' });
    requireSigned(header, { digest: digestWhole(headerDigest, frames.hash.digest()), signature });
    const manifest = manifestSchema.safeParse(parse(manifestBytes));
    if (!manifest.success || JSON.stringify(manifest.data.sections) !== JSON.stringify(digests))
      throw failBackup('backup.tampered', { reason: 'a section does not match its manifest' });
    return { header, manifest: manifest.data };
  } finally {
    await source.close();
  }
}

async function takeHeader(source: ByteSource): Promise<{ header: Header; headerDigest: Buffer }> {
  const magic = await source.take(MAGIC.length);
  if (!magic.equals(MAGIC)) throw failBackup('backup.not_a_backup');
  const length = (await source.take(4)).readUInt32BE();
  if (length > HEADER_MAX_BYTES) throw failBackup('backup.tampered', { reason: 'its header is too long' });
  const bytes = await source.take(length);
  const headerDigest = await source.take(32);
  if (!isSameSecret(createHash('sha256').update(bytes).digest(), headerDigest))
    throw failBackup('backup.tampered', { reason: 'its header was changed' });
  const value = parse(bytes) as { format?: unknown; app_version?: unknown } | null;
  if (typeof value?.format === 'number' && value.format > FORMAT)
    throw failBackup('backup.too_new', { app_version: String(value.app_version).slice(0, 64) });
  const header = headerSchema.safeParse(value);
  if (!header.success) throw failBackup('backup.tampered', { reason: 'its header is invalid' });
  const { format, app_version, migrations } = header.data;
  if (format < FORMAT) throw failBackup('backup.too_old', { app_version, migration: migrations.at(-1) ?? 'none' });
  return { header: header.data, headerDigest };
}

async function openKey({ encryption }: Header, { passphrase, secret }: ReadOrder): Promise<Buffer | undefined> {
  if (encryption.kind === 'none') return undefined;
  if (encryption.kind === 'installation') {
    const root = secret && deriveFromSecret(secret, Buffer.from(encryption.salt, 'base64'));
    const key = root && openRoot(root, encryption.check);
    if (!key) throw failBackup('backup.foreign_key');
    return key;
  }
  if (passphrase === undefined) throw failBackup('backup.passphrase_needed');
  const key = openRoot(await derive(passphrase, Buffer.from(encryption.salt, 'base64')), encryption.check);
  if (!key) throw failBackup('backup.wrong_passphrase');
  return key;
}

interface Frames {
  readonly source: ByteSource;
  readonly key: Buffer | undefined;
  readonly headerDigest: Buffer;
  /** Covers all frames read so far. */
  readonly hash: Hash;
}

interface SectionAt {
  readonly name: string;
  readonly index: number;
  readonly frames: Frames;
  readonly budget: { left: number };
}

async function readSection(
  { name, index, frames, budget }: SectionAt,
  { onRow, signal }: Pick<ReadOrder, 'onRow' | 'signal'>,
): Promise<SectionDigest> {
  signal?.throwIfAborted();
  const hash = createHash('sha256');
  const totals = { rows: 0, bytes: 0 };
  try {
    await pipeline(
      Readable.from(takePieces(frames, index), { objectMode: false }),
      createZstdDecompress(),
      async (unpacked) => {
        const counted = count(unpacked as AsyncIterable<Buffer>, (chunk) => {
          signal?.throwIfAborted();
          hash.update(chunk);
          totals.bytes += chunk.length;
          budget.left -= chunk.length;
          if (budget.left < 0) throw failBackup('backup.too_large', { what: 'too many bytes when unpacked' });
        });
        for await (const line of splitLines(counted)) {
          totals.rows += 1;
          const row = parse(line);
          await onRow?.(name, row);
        }
      },
    );
  } catch (error) {
    throw isPackingError(error) ? failBackup('backup.tampered', { reason: 'a section cannot be unpacked' }) : error;
  }
  return { name, ...totals, sha256: hash.digest('hex') };
}

async function* count(chunks: AsyncIterable<Buffer>, onChunk: (chunk: Buffer) => void): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    onChunk(chunk);
    yield chunk;
  }
}

async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, end)]);
      parts = [];
      length = 0;
      from = end + 1;
    }
    if (from === chunk.length) continue;
    parts.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > ROW_MAX_BYTES) throw failBackup('backup.too_large', { what: `a row of ${ROW_MAX_BYTES} bytes` });
  }
  if (length > 0) throw failBackup('backup.tampered', { reason: 'a section ends within a row' });
}

async function* takePieces(frames: Frames, section: number): AsyncGenerator<Buffer> {
  for (let counter = 0; ; counter += 1) {
    const { isLast, piece } = await takePiece(frames, section, counter);
    if (piece.length > 0) yield piece;
    if (isLast) return;
  }
}

async function takePiece(
  { source, key, headerDigest, hash }: Frames,
  section: number,
  counter: number,
): Promise<{ isLast: boolean; piece: Buffer }> {
  const head = await source.take(5);
  const flag = head.readUInt8(0);
  const length = head.readUInt32BE(1);
  const overhead = key === undefined ? 0 : TAG_BYTES;
  if (flag > 1 || length < overhead || length > PIECE_BYTES + overhead)
    throw failBackup('backup.tampered', { reason: 'a piece has an invalid length' });
  const isLast = flag === 1;
  const content = await source.take(length);
  hash.update(head).update(content);
  if (key === undefined) return { isLast, piece: content };
  const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(section, counter, isLast));
  decipher.setAAD(headerDigest);
  decipher.setAuthTag(content.subarray(length - TAG_BYTES));
  const body = decipher.update(content.subarray(0, length - TAG_BYTES));
  try {
    return { isLast, piece: Buffer.concat([body, decipher.final()]) };
  } catch {
    throw failBackup('backup.tampered', { reason: 'a piece was changed or moved' });
  }
}

/** Reads the manifest. It fits into one piece, with about a hundred bytes for each section. */
async function readManifest(frames: Frames): Promise<Buffer> {
  const { isLast, piece } = await takePiece(frames, MANIFEST_SECTION, 0);
  if (!isLast) throw failBackup('backup.tampered', { reason: 'its manifest is too long' });
  return piece;
}

function requireSigned({ public_key }: Header, { digest, signature }: { digest: Buffer; signature: Buffer }): void {
  try {
    const key = createPublicKey({ key: Buffer.from(public_key, 'base64'), format: 'der', type: 'spki' });
    if (key.asymmetricKeyType === 'ed25519' && verify(null, digest, key, signature)) return;
  } catch {
    // The public key is invalid.
  }
  throw failBackup('backup.tampered', { reason: 'its signature does not match its content' });
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw failBackup('backup.tampered', { reason: 'it contains invalid JSON' });
  }
}

function isPackingError(error: unknown): boolean {
  if (error instanceof AppError) return false;
  return error instanceof Error && 'code' in error && /^(ZSTD_|Z_|ERR_)/.test(String(error.code));
}

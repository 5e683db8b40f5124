import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import * as z from 'zod';

/**
 * A backup file:
 *
 *     magic (8 bytes) | length of the header (u32) | header (JSON) | SHA-256 of the header
 *     for each section, then for the manifest: frames
 *     Ed25519 signature (64 bytes)
 *
 * A frame is `last` (1 byte) | length (u32) | content. The content of a section is NDJSON, compressed with zstd as one stream and
 * cut into pieces of 64 KiB. Where there is a key, each piece is AES-256-GCM with the nonce section (u32) | counter (u56) | last
 * (u8), and the header's digest as additional data: a piece that is missing, moved, or of another file does not open.
 */
export const MAGIC = Buffer.from('FLOTBK1\n');
/** Since 2, a backup of a project contains manifests. */
export const FORMAT = 2;
export const PIECE_BYTES = 64 * 1024;
export const TAG_BYTES = 16;
export const SIGNATURE_BYTES = 64;
export const HEADER_MAX_BYTES = 64 * 1024;
/** Longest row and most of everything that is unpacked from one file: a small file can say that it holds terabytes. */
export const ROW_MAX_BYTES = 64 * 1024 * 1024;
export const UNPACKED_MAX_BYTES = 16 * 1024 * 1024 * 1024;

/** How a pass phrase becomes a key (RFC 7914): 128 MiB and about half a second for each guess. */
export const KDF = { n: 2 ** 17, r: 8, p: 1 } as const;

const encryptionSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('passphrase'),
    // Bounded to what we write: a file must not take all memory of whoever looks at it.
    n: z.literal(KDF.n),
    r: z.literal(KDF.r),
    p: z.literal(KDF.p),
    salt: z.base64().max(64),
    /** Tells a wrong pass phrase from a broken file. */
    check: z.base64().max(64),
  }),
  /** A key that comes of a secret of the installation. */
  z.strictObject({ kind: z.literal('installation'), salt: z.base64().max(64), check: z.base64().max(64) }),
  z.strictObject({ kind: z.literal('none') }),
]);
export type Encryption = z.infer<typeof encryptionSchema>;

export const headerSchema = z.strictObject({
  format: z.int(),
  id: z.uuid(),
  kind: z.enum(['project', 'installation']),
  app_version: z.string().max(64),
  /** Names of the migrations of its database, in their order. */
  migrations: z.array(z.string().max(128)).max(1000),
  created_at: z.iso.datetime(),
  project: z.strictObject({ id: z.uuid(), name: z.string().max(128) }).nullable(),
  /** Nothing in it is secret: what was is left out. */
  secret_free: z.boolean(),
  encryption: encryptionSchema,
  /** SPKI, DER, base64: what the signature at the end is checked with. */
  public_key: z.base64().max(256),
  sections: z.array(z.string().max(64)).max(200),
});
export type Header = z.infer<typeof headerSchema>;

export const manifestSchema = z.strictObject({
  sections: z.array(
    z.strictObject({ name: z.string(), rows: z.int().min(0), bytes: z.int().min(0), sha256: z.hex().length(64) }),
  ),
  /** Of the database's sequences: the next numbers come after these. */
  sequences: z.record(z.string(), z.int().min(0)),
});
export type Manifest = z.infer<typeof manifestSchema>;
export type SectionDigest = Manifest['sections'][number];

/** Comes after the sections. */
export const MANIFEST_SECTION = 0xffff_ffff;

export function nonceOf(section: number, counter: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(section, 0);
  nonce.writeUIntBE(Math.floor(counter / 2 ** 32), 4, 3);
  nonce.writeUInt32BE(counter >>> 0, 7);
  nonce.writeUInt8(isLast ? 1 : 0, 11);
  return nonce;
}

/** What is signed: `body` is the SHA-256 of all bytes from the header to the signature. */
export function digestWhole(headerDigest: Buffer, body: Buffer): Buffer {
  return createHash('sha256').update('flotilla backup\0').update(headerDigest).update(body).digest();
}

/** By which people know a signer: SHA-256 of the public key, in hex. */
export function fingerprintOf(publicKeyDer: Buffer): string {
  return createHash('sha256').update(publicKeyDer).digest('hex');
}

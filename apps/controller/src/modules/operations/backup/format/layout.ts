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
 * cut into pieces of 64 KiB. If the backup is encrypted, each piece is AES-256-GCM with the nonce section (u32) | counter (u56) |
 * last (u8), and the digest of the header as additional data, so that a missing, moved or foreign piece fails to decrypt.
 */
export const MAGIC = Buffer.from('FLOTBK1\n');
/** Since 2, a backup of a project contains manifests. */
export const FORMAT = 2;
export const PIECE_BYTES = 64 * 1024;
export const TAG_BYTES = 16;
export const SIGNATURE_BYTES = 64;
export const HEADER_MAX_BYTES = 64 * 1024;
/** Limits for a row and for the whole unpacked content, because a small file can unpack to terabytes. */
export const ROW_MAX_BYTES = 64 * 1024 * 1024;
export const UNPACKED_MAX_BYTES = 16 * 1024 * 1024 * 1024;

/** Parameters of scrypt (RFC 7914): each guess of a passphrase costs 128 MiB and about half a second. */
export const KDF = { n: 2 ** 17, r: 8, p: 1 } as const;

const encryptionSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('passphrase'),
    // Only the values that we write: a file must not exhaust the memory of its reader.
    n: z.literal(KDF.n),
    r: z.literal(KDF.r),
    p: z.literal(KDF.p),
    salt: z.base64().max(64),
    /** Distinguishes a wrong passphrase from a damaged file. */
    check: z.base64().max(64),
  }),
  /** The key is derived from a secret of the installation. */
  z.strictObject({ kind: z.literal('installation'), salt: z.base64().max(64), check: z.base64().max(64) }),
  z.strictObject({ kind: z.literal('none') }),
]);
export type Encryption = z.infer<typeof encryptionSchema>;

export const headerSchema = z.strictObject({
  format: z.int(),
  id: z.uuid(),
  kind: z.enum(['project', 'installation']),
  app_version: z.string().max(64),
  /** Names of the migrations of the database that the backup came from, in order. */
  migrations: z.array(z.string().max(128)).max(1000),
  created_at: z.iso.datetime(),
  project: z.strictObject({ id: z.uuid(), name: z.string().max(128) }).nullable(),
  /** True if secrets were left out. */
  secret_free: z.boolean(),
  encryption: encryptionSchema,
  /** Verifies the signature at the end: SPKI, DER, base64. */
  public_key: z.base64().max(256),
  sections: z.array(z.string().max(64)).max(200),
});
export type Header = z.infer<typeof headerSchema>;

export const manifestSchema = z.strictObject({
  sections: z.array(
    z.strictObject({ name: z.string(), rows: z.int().min(0), bytes: z.int().min(0), sha256: z.hex().length(64) }),
  ),
  /** Last value of each sequence of the database, by name. */
  sequences: z.record(z.string(), z.int().min(0)),
});
export type Manifest = z.infer<typeof manifestSchema>;
export type SectionDigest = Manifest['sections'][number];

/** Section number of the manifest, which follows the sections. */
export const MANIFEST_SECTION = 0xffff_ffff;

export function nonceOf(section: number, counter: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(section, 0);
  nonce.writeUIntBE(Math.floor(counter / 2 ** 32), 4, 3);
  nonce.writeUInt32BE(counter >>> 0, 7);
  nonce.writeUInt8(isLast ? 1 : 0, 11);
  return nonce;
}

/** Computes the digest that is signed; `body` is the SHA-256 of all bytes between the header and the signature. */
export function digestWhole(headerDigest: Buffer, body: Buffer): Buffer {
  return createHash('sha256').update('flotilla backup\0').update(headerDigest).update(body).digest();
}

/** Identifies a signer for people: SHA-256 of the public key, in hex. */
export function fingerprintOf(publicKeyDer: Buffer): string {
  return createHash('sha256').update(publicKeyDer).digest('hex');
}

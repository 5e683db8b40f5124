import { createHash } from 'node:crypto';
import { err, ok, type Result } from '@flotilla/kit';
import {
  deriveContentVersion,
  type Resource,
  type ResourceKey,
  type ResourceRef,
  type Snapshot,
  toResourceKey,
} from './resource.ts';

/**
 * The file format of a snapshot: `FLXS`, one byte of format version, SHA-256 of the rest, four bytes of index length,
 * the index as JSON, then the bytes of all resources. The digest detects a damaged or truncated file.
 */
const MAGIC = Buffer.from('FLXS');
const FORMAT_VERSION = 1;
const DIGEST_START = MAGIC.length + 1;
const BODY_START = DIGEST_START + 32;

interface Index {
  readonly version: string;
  readonly resources: ReadonlyArray<{
    readonly typeUrl: string;
    readonly name: string;
    readonly version: string;
    readonly length: number;
    readonly dependsOn: readonly ResourceRef[];
  }>;
}

export function encodeSnapshot(snapshot: Snapshot): Uint8Array {
  const entries = [...snapshot.resources];
  const index: Index = {
    version: snapshot.version,
    resources: entries.map(([key, { typeUrl, name, version, bytes }]) => ({
      typeUrl,
      name,
      version,
      length: bytes.length,
      dependsOn: snapshot.dependencies.get(key) ?? [],
    })),
  };
  const indexBytes = Buffer.from(JSON.stringify(index));
  const indexLength = Buffer.alloc(4);
  indexLength.writeUInt32BE(indexBytes.length);
  const body = Buffer.concat([indexLength, indexBytes, ...entries.map(([, { bytes }]) => bytes)]);
  const digest = createHash('sha256').update(body).digest();
  return Buffer.concat([MAGIC, Buffer.from([FORMAT_VERSION]), digest, body]);
}

export function decodeSnapshot(file: Uint8Array): Result<Snapshot, string> {
  const buffer = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (buffer.length < BODY_START + 4 || !buffer.subarray(0, MAGIC.length).equals(MAGIC))
    return err('not a snapshot file');
  if (buffer[MAGIC.length] !== FORMAT_VERSION) return err(`snapshot file of format ${buffer[MAGIC.length]}`);
  const body = buffer.subarray(BODY_START);
  const digest = createHash('sha256').update(body).digest();
  if (!digest.equals(buffer.subarray(DIGEST_START, BODY_START))) return err('snapshot file is damaged');
  const indexEnd = 4 + body.readUInt32BE(0);
  // The digest is valid, so the index is what encodeSnapshot wrote.
  const index: Index = JSON.parse(body.subarray(4, indexEnd).toString('utf8'));
  return readResources(index, body.subarray(indexEnd));
}

function readResources(index: Index, contents: Buffer): Result<Snapshot, string> {
  const resources = new Map<ResourceKey, Resource>();
  const dependencies = new Map<ResourceKey, readonly ResourceRef[]>();
  let start = 0;
  for (const { typeUrl, name, version, length, dependsOn } of index.resources) {
    const bytes = Uint8Array.prototype.slice.call(contents, start, start + length);
    start += length;
    if (deriveContentVersion(bytes) !== version) return err(`snapshot file: "${name}" is not what its version says`);
    const key = toResourceKey({ typeUrl, name });
    resources.set(key, { typeUrl, name, version, bytes });
    if (dependsOn.length > 0) dependencies.set(key, dependsOn);
  }
  return ok({ version: index.version, resources, dependencies });
}

import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { createFileRegistry, type FileRegistry, fromBinary, toBinary } from '@bufbuild/protobuf';
import { type FileDescriptorSet, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { createEnvoyApi, type EnvoyApi } from './api.ts';
import { orderDescriptors } from './descriptors/order.ts';
import { scanDescriptors } from './descriptors/scan.ts';

export interface LoadOptions {
  /** `1.39.3`; for documentation links and messages. */
  readonly version: string;
  /** That version's own Envoy. Without it the set that ships with us is used. */
  readonly binaryPath?: string;
  /** SHA-256 of the binary where the caller knows it; computed otherwise. */
  readonly binarySha256?: string;
  /** Where descriptor sets are kept, one file per binary. Without it nothing is kept. */
  readonly cacheDir?: string;
}

/** Part of the file name: a better scan makes files of older ones unused. */
const SCAN_VERSION = 1;
/** Every Envoy has it; a scan without it found nothing useful. */
const PROOF_FILE = 'envoy/config/bootstrap/v3/bootstrap.proto';

const loading = new Map<string, Promise<EnvoyApi>>();
/** Shared while somebody holds them: a set takes some 20 MB, and who is done with a version shall get rid of it. */
const loaded = new Map<string, WeakRef<EnvoyApi>>();

/**
 * The API of one Envoy version, read out of its binary (about 0.2 s the first time, 0.1 s from the cache file), else from the set
 * that ships with us. Equal calls share one result in this process. Rejects when the binary cannot be read.
 */
export async function loadEnvoyApi(options: LoadOptions): Promise<EnvoyApi> {
  const key = JSON.stringify([options.version, options.binaryPath, options.binarySha256]);
  const known = loaded.get(key)?.deref() ?? loading.get(key);
  if (known) return known;
  const started = load(options);
  loading.set(key, started);
  try {
    const api = await started;
    loaded.set(key, new WeakRef(api));
    return api;
  } finally {
    loading.delete(key);
  }
}

async function load({ version, binaryPath, binarySha256, cacheDir }: LoadOptions): Promise<EnvoyApi> {
  if (binaryPath !== undefined) {
    const registry = await loadFromBinary(binaryPath, binarySha256, cacheDir);
    if (registry) return createEnvoyApi({ version, source: 'binary', registry });
  }
  return createEnvoyApi({ version, source: 'package', registry: createFileRegistry(await readPackagedSet()) });
}

async function loadFromBinary(
  path: string,
  sha256: string | undefined,
  cacheDir: string | undefined,
): Promise<FileRegistry | undefined> {
  if (cacheDir === undefined) return toRegistry(await scanBinary(path));
  const file = join(cacheDir, `descriptors-${SCAN_VERSION}-${sha256 ?? (await hashFile(path))}.binpb`);
  const cached = await readCached(file);
  if (cached) return cached;
  const set = await scanBinary(path);
  const registry = toRegistry(set);
  if (registry) await writeAtomically(file, toBinary(FileDescriptorSetSchema, set));
  return registry;
}

async function scanBinary(path: string): Promise<FileDescriptorSet> {
  return orderDescriptors(await scanDescriptors(path)).set;
}

function toRegistry(set: FileDescriptorSet): FileRegistry | undefined {
  return set.file.some((file) => file.name === PROOF_FILE) ? createFileRegistry(set) : undefined;
}

/** Undefined when there is no file or none that can be used; it is made anew then. */
async function readCached(file: string): Promise<FileRegistry | undefined> {
  try {
    return toRegistry(fromBinary(FileDescriptorSetSchema, await readFile(file)));
  } catch {
    return undefined;
  }
}

async function writeAtomically(file: string, bytes: Uint8Array): Promise<void> {
  await mkdir(join(file, '..'), { recursive: true });
  const draft = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    await writeFile(draft, bytes, { flush: true });
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk);
  return hash.digest('hex');
}

/** The set that ships with us: Envoy's API as of one release, without the rules' newest additions. See README, "The packaged set". */
async function readPackagedSet(): Promise<FileDescriptorSet> {
  const { PACKAGED_SET } = await import('./gen/packaged-set.ts');
  return fromBinary(FileDescriptorSetSchema, await promisify(gunzip)(Buffer.from(PACKAGED_SET, 'base64')));
}

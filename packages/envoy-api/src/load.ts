import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { createFileRegistry, type FileRegistry, fromBinary, toBinary } from '@bufbuild/protobuf';
import { type FileDescriptorSet, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { createEnvoyApi, type EnvoyApi, type EnvoyApiSource } from './api.ts';
import { fillJsonNames } from './descriptors/json-names.ts';
import { orderDescriptors } from './descriptors/order.ts';
import { scanDescriptors } from './descriptors/scan.ts';

export interface LoadOptions {
  /** `1.39.3`; for documentation links and messages. */
  readonly version: string;
  /** The Envoy of that version. Without it the packaged set is used. */
  readonly binaryPath?: string;
  /** SHA-256 of the binary if known; computed otherwise. */
  readonly binarySha256?: string;
  /** Extracted from a binary of that version (`extractDescriptors`). They take precedence over `binaryPath`. */
  readonly descriptors?: StoredDescriptors;
  /** Folder for descriptor sets, one file per binary. Without it nothing is stored. */
  readonly cacheDir?: string;
}

export interface StoredDescriptors {
  /** SHA-256 of the binary. */
  readonly sha256: string;
  /** As `extractDescriptors` returns them. */
  readonly bytes: Uint8Array;
}

/** Some 20 times what an Envoy has. */
export const DESCRIPTORS_MAX_BYTES = 16 << 20;

/** Part of the file name, so that a better scan does not use older files. */
const SCAN_VERSION = 1;
/** Every Envoy has it; a scan without it failed. */
const PROOF_FILE = 'envoy/config/bootstrap/v3/bootstrap.proto';

/** The options of each loaded API. */
const origins = new WeakMap<EnvoyApi, LoadOptions>();
const loading = new Map<string, Promise<EnvoyApi>>();
/** Weak references: a set takes 20 MB and must be released when its version is no longer used. */
const loaded = new Map<string, WeakRef<EnvoyApi>>();

/**
 * The API of one Envoy version, read from its binary (about 0.2 s the first time, 0.1 s from the cache file), otherwise
 * from the packaged set. Equal calls share one result in this process. Rejects if the binary cannot be read.
 */
export async function loadEnvoyApi(options: LoadOptions): Promise<EnvoyApi> {
  const key = JSON.stringify([options.version, options.descriptors?.sha256, options.binaryPath, options.binarySha256]);
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

/** With these options, another process loads an equal API. Throws for one that `loadEnvoyApi` did not create. */
export function loadOptionsOf(api: EnvoyApi): LoadOptions {
  const options = origins.get(api);
  if (!options) throw new Error(`the API of Envoy ${api.version} was not loaded`);
  return options;
}

async function load(options: LoadOptions): Promise<EnvoyApi> {
  const api = createEnvoyApi(await readSource(options));
  origins.set(api, options);
  return api;
}

async function readSource(options: LoadOptions): Promise<EnvoyApiSource> {
  const { version, descriptors, binaryPath, binarySha256, cacheDir } = options;
  if (descriptors !== undefined) {
    const bytes = await promisify(gunzip)(descriptors.bytes, { maxOutputLength: DESCRIPTORS_MAX_BYTES });
    const registry = toRegistry(fromBinary(FileDescriptorSetSchema, bytes));
    if (!registry) throw new Error(`the descriptors of Envoy ${version} are not those of an Envoy`);
    return { version, source: 'binary', registry };
  }
  if (binaryPath !== undefined) {
    const registry = await loadFromBinary(binaryPath, binarySha256, cacheDir);
    if (registry) return { version, source: 'binary', registry };
  }
  return { version, source: 'package', registry: createFileRegistry(await readPackagedSet()) };
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

export async function scanBinary(path: string): Promise<FileDescriptorSet> {
  return orderDescriptors(await scanDescriptors(path)).set;
}

export function toRegistry(set: FileDescriptorSet): FileRegistry | undefined {
  if (!set.file.some((file) => file.name === PROOF_FILE)) return undefined;
  fillJsonNames(set);
  return createFileRegistry(set);
}

/** Undefined if the file is missing or unusable; it is then recreated. */
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

/** The packaged set: Envoy's API as of one release, without the newest rules. See README, "The packaged set". */
async function readPackagedSet(): Promise<FileDescriptorSet> {
  const { PACKAGED_SET } = await import('./gen/packaged-set.ts');
  return fromBinary(FileDescriptorSetSchema, await promisify(gunzip)(Buffer.from(PACKAGED_SET, 'base64')));
}

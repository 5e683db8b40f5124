import type { ArchiveRelease, ReleaseKind } from '@flotilla/contract';
import { compareVersions } from '@flotilla/envoy-dist';
import { err, findDownloadAddressProblem, ok, type Result, toErrorMessage } from '@flotilla/kit';
import * as z from 'zod';

/** An element of the index that was left out. */
export interface SkippedElement {
  /** Its path in the index: `releases[3].binaries[0]`. */
  readonly at: string;
  readonly reason: string;
}

/** The releases of an archive that hosts can install, newest first. */
export interface ArchiveIndex extends Readonly<Record<ReleaseKind, readonly ArchiveRelease[]>> {
  readonly skipped: readonly SkippedElement[];
}

const RELEASES_MAX = 1000;
const BINARIES_MAX = 64;
const SKIPPED_MAX = 100;
const DATE_MAX = 64;

/** Archives in use misspell the second name of the WAF. */
const KEYS: Readonly<Record<ReleaseKind, readonly string[]>> = {
  envoy: ['releases'],
  waf: ['coraza_releases', 'coroza_releases'],
};

const versionSchema = z
  .string('has no version')
  .regex(/^v?\d{1,3}\.\d{1,3}\.\d{1,4}$/, 'has a version that is not like v1.40.0')
  .transform((text) => text.replace(/^v/, '').split('.').map(Number).join('.'));

const releaseSchema = z.object(
  {
    version: versionSchema,
    date: z.string().max(DATE_MAX).nullable().catch(null),
    binaries: z.array(z.unknown(), 'has no list of binaries').max(BINARIES_MAX, `has over ${BINARIES_MAX} binaries`),
  },
  'is not an object',
);

const binarySchema = z.object(
  {
    arch: z.string('has no arch').regex(/^[a-z0-9][a-z0-9_-]{0,31}$/, 'has an arch that is not like linux-amd64'),
    download_url: z.string('has no download_url').max(2048, 'has a download_url that is too long'),
    sha256: z
      .string('has no sha256')
      .regex(/^[0-9a-fA-F]{64}$/, 'has a sha256 that is not 64 hexadecimal digits')
      .transform((digest) => digest.toLowerCase()),
  },
  'is not an object',
);

/**
 * Reads the bytes of `index.json`. Unknown members are ignored. Wrong elements are left out and named, and the others
 * count. Relative addresses of binaries are relative to `indexUrl`.
 */
export function parseArchiveIndex(bytes: Uint8Array, indexUrl: string): Result<ArchiveIndex, string> {
  let document: unknown;
  try {
    document = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    return err(`its index is not JSON: ${toErrorMessage(error).slice(0, 200)}`);
  }
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    return err('its index is not a JSON object');
  const members = document as Readonly<Record<string, unknown>>;
  const reader = new IndexReader(indexUrl);
  return ok({
    envoy: reader.readReleases(members, KEYS.envoy),
    waf: reader.readReleases(members, KEYS.waf),
    skipped: reader.skipped,
  });
}

class IndexReader {
  readonly skipped: SkippedElement[] = [];
  readonly #indexUrl: string;

  constructor(indexUrl: string) {
    this.#indexUrl = indexUrl;
  }

  readReleases(members: Readonly<Record<string, unknown>>, keys: readonly string[]): ArchiveRelease[] {
    const found = new Map<string, ArchiveRelease>();
    for (const key of keys.filter((one) => Object.hasOwn(members, one))) {
      const list = members[key];
      if (!Array.isArray(list)) {
        this.#skip(key, 'is not a list');
        continue;
      }
      if (list.length > RELEASES_MAX) this.#skip(`${key}[${RELEASES_MAX}]`, `only ${RELEASES_MAX} releases are read`);
      for (const [i, element] of list.slice(0, RELEASES_MAX).entries()) {
        const release = this.#readRelease(`${key}[${i}]`, element);
        if (!release) continue;
        if (found.has(release.version)) this.#skip(`${key}[${i}]`, `repeats the version ${release.version}`);
        else found.set(release.version, release);
      }
    }
    return [...found.values()].sort((a, b) => compareVersions(b.version, a.version));
  }

  #readRelease(at: string, element: unknown): ArchiveRelease | undefined {
    const release = this.#parse(at, releaseSchema, element);
    if (!release) return undefined;
    const binaries = new Map<string, ArchiveBinary>();
    for (const [i, one] of release.binaries.entries()) {
      const where = `${at}.binaries[${i}]`;
      const binary = this.#readBinary(where, one);
      if (!binary) continue;
      if (binaries.has(binary.arch)) this.#skip(where, `repeats the arch ${binary.arch}`);
      else binaries.set(binary.arch, binary);
    }
    if (binaries.size > 0) return { version: release.version, date: release.date, binaries: [...binaries.values()] };
    this.#skip(at, 'has no binary that can be used');
    return undefined;
  }

  #readBinary(at: string, element: unknown): ArchiveBinary | undefined {
    const binary = this.#parse(at, binarySchema, element);
    if (!binary) return undefined;
    const url = URL.parse(binary.download_url, this.#indexUrl)?.href;
    const problem = url === undefined ? 'is not an address' : findDownloadAddressProblem(url, this.#indexUrl);
    if (url !== undefined && problem === undefined) return { ...binary, download_url: url };
    this.#skip(at, `has a download_url that ${problem}`);
    return undefined;
  }

  #parse<T extends z.ZodType>(at: string, schema: T, element: unknown): z.output<T> | undefined {
    const parsed = schema.safeParse(element);
    if (parsed.success) return parsed.data;
    this.#skip(at, parsed.error.issues[0]?.message ?? 'is not valid');
    return undefined;
  }

  #skip(at: string, reason: string): void {
    if (this.skipped.length < SKIPPED_MAX) this.skipped.push({ at, reason });
  }
}

export type ArchiveBinary = ArchiveRelease['binaries'][number];

/** The first of these that a release has is used if any machine's Envoy will do. */
const ARCHES = ['linux-amd64', 'linux-arm64', 'linux-x86_64', 'linux-aarch64'];

/** An Envoy of this version for some machine, or undefined if the index does not list the version. */
export function findAnyEnvoy(index: ArchiveIndex, version: string): ArchiveBinary | undefined {
  const { binaries = [] } = index.envoy.find((one) => one.version === version) ?? {};
  const known = ARCHES.flatMap((arch) => binaries.filter((one) => one.arch === arch));
  return known[0] ?? binaries[0];
}

/** A binary for a host, or the reason why the archive has none. */
export function findBinary(
  index: ArchiveIndex,
  { kind, version, arch }: { readonly kind: ReleaseKind; readonly version: string; readonly arch: string },
): Result<ArchiveBinary, string> {
  const name = kind === 'envoy' ? 'Envoy' : 'WAF module';
  const release = index[kind].find((one) => one.version === version);
  if (!release) return err(`the release archive does not list the ${name} ${version}`);
  const wanted = kind === 'envoy' ? arch : arch.replace(/^[a-z]+-/, 'wasm-');
  const exact = release.binaries.find((one) => one.arch === wanted);
  // A WebAssembly module runs on every processor, whatever the archive calls it.
  const any = kind === 'waf' ? release.binaries.find((one) => /^wasm(?:-|$)/.test(one.arch)) : undefined;
  const binary = exact ?? any;
  if (binary) return ok(binary);
  const others = release.binaries.map((one) => one.arch).join(', ');
  return err(`the release archive has the ${name} ${version} only for ${others}, not for ${wanted || 'this host'}`);
}

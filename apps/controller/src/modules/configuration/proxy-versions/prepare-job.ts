import { failDocument, proxyVersionSchema } from '@flotilla/contract';
import type { EnvoyDist, ReleaseProblem } from '@flotilla/envoy-dist';
import * as z from 'zod';
import { type JobType, PermanentFailure, type StepContext, type StepResult } from '../../../platform/jobs/index.ts';
import type { ReleaseArchive } from './archive.ts';
import type { ArchiveBinary } from './archive-index.ts';
import { findDigest, storeDescriptors } from './descriptor-store.ts';
import type { Extractor } from './extractor.ts';

const paramsSchema = z.strictObject({ version: proxyVersionSchema });
export type PrepareParams = z.infer<typeof paramsSchema>;

export interface PrepareDeps {
  readonly archive: Pick<ReleaseArchive, 'find'>;
  readonly dist: Pick<EnvoyDist, 'borrowRelease'>;
  readonly extractor: Pick<Extractor, 'extract'>;
}

export const PREPARE = 'version.prepare';
const ATTEMPTS = 3;
/** Progress is written at every tenth of the download. */
const PROGRESS_PARTS = 10;

/** Problems that another attempt may not meet. */
const PASSING: ReadonlySet<ReleaseProblem['code']> = new Set(['unreachable', 'aborted', 'disk', 'permission']);

/**
 * Downloads the Envoy of a version from the archive, reads its descriptors and stores them. The program is not run, so the
 * archive may have it for other machines only, and is deleted afterwards. A step that runs again starts with the download.
 */
export function createPrepareJob(deps: PrepareDeps): JobType<PrepareParams> {
  return {
    type: PREPARE,
    title: 'Prepares a proxy version from the release archive',
    params: paramsSchema,
    // The job reads and writes nothing of a project, so the right to ask for it is enough.
    route: { access: { kind: 'authenticated' }, family: 'configuration' },
    attemptsMax: ATTEMPTS,
    lockKey: ({ version }) => `${PREPARE} ${version}`,
    about: ({ version }) => ({ type: 'proxy_version', name: version }),
    steps: [{ name: 'extract', effects: 'repeatable', run: (ctx) => prepare(ctx, deps) }],
  };
}

async function prepare(ctx: StepContext<PrepareParams>, deps: PrepareDeps): Promise<StepResult> {
  const { version } = ctx.params;
  const binary = await findBinary(deps, version);
  if ((await ctx.write((tx) => findDigest(tx, version))) === binary.sha256) return { kind: 'no_work' };
  const progress = new DownloadProgress(ctx);
  const borrowed = await deps.dist.borrowRelease(
    { version, url: binary.download_url, sha256: binary.sha256 },
    {
      machine: toMachine(binary.arch),
      signal: ctx.signal,
      onStep: (step, received, total) => progress.tell(step === 'download' ? received : 0, total),
    },
    (path) => deps.extractor.extract(path, version),
  );
  await progress.end();
  if (!borrowed.ok) throw toFailure(version, borrowed.error);
  const extracted = borrowed.value;
  if (!extracted.ok) throw new PermanentFailure('version.not_usable', `${binary.download_url} ${extracted.error}`);
  const { bytes, messages } = extracted.value;
  const { arch, sha256, download_url: source } = binary;
  const preparedBy = ctx.actor.name;
  return {
    kind: 'done',
    result: { sha256, arch, messages },
    write: (tx) => storeDescriptors(tx, { version, sha256, arch, source, messages, bytes, preparedBy }, new Date()),
  };
}

async function findBinary({ archive }: PrepareDeps, version: string): Promise<ArchiveBinary> {
  const found = await archive.find(version);
  if (found.ok) return found.value;
  const { reason, isCertain } = found.error;
  if (isCertain) throw new PermanentFailure('version.not_in_archive', `${reason}.`);
  throw failDocument('version.preparation_failed', { version, reason });
}

function toFailure(version: string, { code, message }: ReleaseProblem): Error {
  if (PASSING.has(code)) return failDocument('version.preparation_failed', { version, reason: message });
  return new PermanentFailure(`version.${code}`, message);
}

/** The machine of an arch of the index: `linux-x64` for `linux-amd64`. */
function toMachine(arch: string): string {
  return arch.replace(/amd64$|x86_64$/, 'x64').replace(/aarch64$/, 'arm64');
}

/** Writes how much of the download is there, one write after the other. */
class DownloadProgress {
  readonly #ctx: StepContext<PrepareParams>;
  #part = 0;
  #written: Promise<void> = Promise.resolve();

  constructor(ctx: StepContext<PrepareParams>) {
    this.#ctx = ctx;
  }

  tell(received: number, total: number | undefined): void {
    const part = total === undefined ? 0 : Math.floor((received / total) * PROGRESS_PARTS);
    if (part <= this.#part) return;
    this.#part = part;
    this.#written = this.#written.then(() => this.#ctx.progress(part, PROGRESS_PARTS));
    // `end` reports it.
    this.#written.catch(() => undefined);
  }

  end(): Promise<void> {
    return this.#written;
  }
}

import type { EnvoyBinary, EnvoyDist, ReleaseStore, StoredVersion } from '@flotilla/envoy-dist';
import { err, type Logger, ok, type Result, SerialQueue } from '@flotilla/kit';
import type {
  ArchiveOffer,
  HostVersions,
  InstalledVersion,
  InstallOutcome,
  InstallRequest,
  VersionKind,
  VersionProblem,
} from './types.ts';

export type VersionSource = Pick<
  EnvoyDist,
  'find' | 'ensure' | 'install' | 'installRelease' | 'installed' | 'list' | 'remove' | 'sweep'
>;

export interface VersionStoresOptions {
  readonly envoyDist: VersionSource;
  readonly modules: ReleaseStore;
  /** For Envoys and modules together. */
  readonly quotaBytes: number;
  /** Other programs use the folder of the Envoys, too. Nothing in it is removed. */
  readonly isShared: boolean;
  /** Returns the users of a version, for people. */
  readonly findUsers: (kind: VersionKind, version: string) => Promise<readonly string[]>;
  /** Resolves when the services of the host are known. Before, nothing is changed. */
  readonly opened: () => Promise<void>;
  readonly logger: Logger;
}

interface Stored extends StoredVersion {
  readonly kind: VersionKind;
}

const NAMES: Readonly<Record<VersionKind, string>> = { envoy: 'Envoy', waf: 'WAF module' };

/**
 * Installs, lists and removes versions, one change at a time.
 *
 * The quota bounds the files of all versions. An install that needs room removes unused versions, those that were installed
 * first before others. A version in use is never removed.
 */
export class VersionStores implements HostVersions {
  readonly #options: VersionStoresOptions;
  readonly #changing = new SerialQueue();

  constructor(options: VersionStoresOptions) {
    const { envoyDist, modules, logger } = options;
    this.#options = options;
    this.#changing
      .run(() => Promise.all([envoyDist.sweep(), modules.sweep()]))
      .catch((error: unknown) => logger.warn({ err: error }, 'versions.not_swept'));
  }

  async list(kind: VersionKind): Promise<InstalledVersion[]> {
    const { envoyDist, modules } = this.#options;
    const own = kind === 'envoy' ? await envoyDist.installed() : await modules.list();
    const others = kind === 'envoy' ? (await envoyDist.list()).filter(({ source }) => source !== 'cache') : [];
    return Promise.all([
      ...others.map((binary) => this.#describe(kind, { ...binary, size: undefined, installedBy: '' })),
      ...own.map((stored) => this.#describe(kind, { ...stored, source: 'cache' })),
    ]);
  }

  install(request: InstallRequest): Promise<Result<InstallOutcome, VersionProblem>> {
    return this.#change(() => this.#install(request));
  }

  remove(kind: VersionKind, version: string): Promise<Result<boolean, VersionProblem>> {
    return this.#change(() => this.#remove(kind, version));
  }

  #change<T>(work: () => Promise<T>): Promise<T> {
    return this.#changing.run(async () => {
      await this.#options.opened();
      return work();
    });
  }

  /** Returns the Envoy for a service, and installs it if it is missing. The error is a message for the user. */
  async ensure(version: string, offer: ArchiveOffer | undefined): Promise<Result<EnvoyBinary, string>> {
    const { envoyDist } = this.#options;
    const there = await envoyDist.find(version);
    if (there) return ok(there);
    const installed = await this.install({ kind: 'envoy', version, offer });
    if (!installed.ok) return err(installed.error.message);
    const found = await envoyDist.find(version);
    return found ? ok(found) : err(`Envoy ${version} was removed while it was installed`);
  }

  async #install(request: InstallRequest): Promise<Result<InstallOutcome, VersionProblem>> {
    const { kind, version, offer, force = false } = request;
    const there = (await this.list(kind)).find((one) => one.version === version);
    if (there && !force) return ok({ installed: there, removed: [] });
    const removed: string[] = [];
    const problem = offer
      ? await this.#installOffer(request, offer, removed)
      : await this.#installFromElsewhere(request, removed);
    if (problem) return err(problem);
    const installed = (await this.list(kind)).find((one) => one.version === version && one.source === 'cache');
    if (!installed) return err({ code: 'unavailable', message: `${NAMES[kind]} ${version} is not there any more` });
    this.#options.logger.info({ kind, version, removed, sha256: installed.sha256 }, 'version.installed');
    return ok({ installed, removed });
  }

  async #installOffer(
    { kind, version, force = false, id, signal, onStep }: InstallRequest,
    offer: ArchiveOffer,
    removed: string[],
  ): Promise<VersionProblem | undefined> {
    if ('missing' in offer) return { code: 'not_listed', message: offer.missing };
    const { envoyDist, modules, logger } = this.#options;
    // Separates the installs of one version by different commands.
    const named = id === undefined ? {} : { command: id };
    const room = await this.#planRoom(kind, version);
    const options = {
      force,
      maxBytes: room.most,
      makeRoom: async (bytes: number) => {
        const made = await this.#makeRoom(bytes, room.replaced);
        if (!made.ok) return made;
        removed.push(...made.value);
        return ok(undefined);
      },
      ...(id !== undefined && { installId: id }),
      ...(signal && { signal }),
      onStep: describeSteps((step, detail) => {
        logger.info({ kind, version, step, ...(detail !== '' && { detail }), ...named }, 'version.installing');
        onStep?.(step, detail);
      }),
    };
    const entry = { version, url: offer.url, sha256: offer.sha256 };
    const installed = await (kind === 'envoy'
      ? envoyDist.installRelease(entry, options)
      : modules.install(entry, options));
    if (installed.ok) return undefined;
    const { code, message } = installed.error;
    logger.warn({ kind, version, code, reason: message, ...named }, 'version.not_installed');
    const isOverQuota = code === 'too_large' && room.isTight;
    if (isOverQuota) return { code: 'quota', message: `${message}; ${this.#describeQuota()}` };
    return { code, message: `${NAMES[kind]} ${version} was not installed: ${message}` };
  }

  /** The sources that check a binary themselves. They are used only if the controller knows no archive. */
  async #installFromElsewhere(
    { kind, version, force = false }: InstallRequest,
    removed: string[],
  ): Promise<VersionProblem | undefined> {
    if (kind === 'waf') return { code: 'not_listed', message: 'no release archive is configured on the controller' };
    const { envoyDist } = this.#options;
    const installed = await (force ? envoyDist.install(version, { force }) : envoyDist.ensure(version));
    if (!installed.ok) return { code: 'unavailable', message: installed.error.message };
    const made = await this.#makeRoom(0, undefined);
    if (made.ok) removed.push(...made.value);
    return undefined;
  }

  async #remove(kind: VersionKind, version: string): Promise<Result<boolean, VersionProblem>> {
    const { envoyDist, modules, isShared, logger } = this.#options;
    const name = `${NAMES[kind]} ${version}`;
    const there = (await this.list(kind)).filter((one) => one.version === version);
    const own = there.find(({ source }) => source === 'cache');
    const given = there.find(({ source }) => source !== 'cache');
    if (!own && given)
      return err({ code: 'not_removable', message: `${name} comes with the host (${given.path}); remove it there` });
    if (!own) return ok(false);
    if (own.usedBy.length > 0) {
      const message = `${name} is in use by ${own.usedBy.join(', ')}; move it to another version first`;
      return err({ code: 'in_use', message });
    }
    if (kind === 'envoy' && isShared) {
      const message = `${name} is in a folder that other programs use, too (${own.path}); remove it there`;
      return err({ code: 'shared', message });
    }
    const removed = await (kind === 'envoy' ? envoyDist.remove(version) : modules.remove(version));
    logger.info({ kind, version }, 'version.removed');
    return ok(removed);
  }

  /** How large a download may be, if everything that may be removed is removed. */
  async #planRoom(kind: VersionKind, version: string) {
    const all = await this.#listStored();
    const replaced = all.find((one) => one.kind === kind && one.version === version);
    const others = all.filter((one) => one !== replaced);
    const kept = await Promise.all(others.map(async (one) => ((await this.#mayRemove(one)) ? 0 : one.size)));
    const most = Math.max(0, this.#options.quotaBytes - sumOf(kept));
    return { most, replaced, isTight: most < this.#options.quotaBytes };
  }

  /** Removes unused versions until the quota has space for `bytes`. The error says why it has none. */
  async #makeRoom(bytes: number, replaced: Stored | undefined): Promise<Result<string[], string>> {
    const { quotaBytes, envoyDist, modules } = this.#options;
    const all = (await this.#listStored()).filter(
      (one) => one.kind !== replaced?.kind || one.version !== replaced.version,
    );
    let used = sumOf(all.map(({ size }) => size));
    const removed: string[] = [];
    for (const one of all.toSorted((a, b) => a.installedAtMs - b.installedAtMs)) {
      if (used + bytes <= quotaBytes) break;
      if (!(await this.#mayRemove(one))) continue;
      await (one.kind === 'envoy' ? envoyDist.remove(one.version) : modules.remove(one.version));
      this.#options.logger.info({ kind: one.kind, version: one.version }, 'version.removed_for_room');
      used -= one.size;
      removed.push(`${NAMES[one.kind]} ${one.version}`);
    }
    return used + bytes <= quotaBytes ? ok(removed) : err(this.#describeQuota());
  }

  async #mayRemove({ kind, version }: Stored): Promise<boolean> {
    if (kind === 'envoy' && this.#options.isShared) return false;
    return (await this.#options.findUsers(kind, version)).length === 0;
  }

  async #listStored(): Promise<Stored[]> {
    const { envoyDist, modules } = this.#options;
    const [envoys, wasm] = await Promise.all([envoyDist.installed(), modules.list()]);
    return [
      ...envoys.map((one) => ({ ...one, kind: 'envoy' as const })),
      ...wasm.map((one) => ({ ...one, kind: 'waf' as const })),
    ];
  }

  async #describe(
    kind: VersionKind,
    stored: Pick<InstalledVersion, 'version' | 'path' | 'source' | 'sha256' | 'installedBy'> & {
      readonly size: number | undefined;
    },
  ): Promise<InstalledVersion> {
    const { version, path, source, sha256, size, installedBy } = stored;
    const usedBy = await this.#options.findUsers(kind, version);
    return { version, path, source, sha256, bytes: size, installedBy, usedBy };
  }

  #describeQuota(): string {
    const mib = Math.floor(this.#options.quotaBytes / 1024 ** 2);
    return `the versions in use leave too little of the quota of ${mib} MiB; raise --version-quota or free a version`;
  }
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}

/** Reports a download at each tenth of its size. */
function describeSteps(onStep: NonNullable<InstallRequest['onStep']>) {
  let reported = -1;
  return (step: Parameters<typeof onStep>[0], received: number, total: number | undefined) => {
    if (step !== 'download') return onStep(step, '');
    const tenth = total ? Math.floor((10 * received) / total) : 0;
    if (tenth === reported) return;
    reported = tenth;
    onStep(step, total ? `${received} of ${total} bytes` : '');
  };
}

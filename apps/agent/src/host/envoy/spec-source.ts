import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { EnvoyBinary } from '@flotilla/envoy-dist';
import { type FileOwner, ok, type Result, writeFileAtomically } from '@flotilla/kit';
import type { fleet, ServiceLayout } from '@flotilla/proto';
import type { ServiceIdentity } from '../identity.ts';
import { extractReason } from '../log-tail.ts';
import { stageProgram } from '../program-stage.ts';
import { runCheck } from '../units/run-check.ts';
import { digestOf, type EnvoyInstance, type EnvoySpec, validateCommand } from './instance.ts';

/** Part of every digest. A change replaces the Envoys that an earlier version of the agent has started. */
const START_FORM = 'ads-secret';
const VALIDATE_TIMEOUT_MS = 30_000;

export interface SpecSourceOptions {
  readonly layout: ServiceLayout;
  readonly dataDir: string;
  readonly identity: ServiceIdentity | undefined;
  /** Returns the Envoy of a version, and installs it if it is missing. The error is a message for the user. */
  readonly ensureEnvoy: (version: string) => Promise<Result<EnvoyBinary, string>>;
}

/** Prepares binary and bootstrap file of an Envoy, so that the service's user can read them, and validates the bootstrap. */
export class SpecSource {
  readonly #options: SpecSourceOptions;
  #resolved: { readonly generation: bigint; readonly spec: EnvoySpec } | undefined;
  #validDigest: string | undefined;

  constructor(options: SpecSourceOptions) {
    this.#options = options;
  }

  /** Returns the spec of a desired service. Downloads a missing version. The error is a message for the user. */
  async resolve(service: fleet.DesiredService): Promise<Result<EnvoySpec, string>> {
    if (this.#resolved?.generation === service.generation) return ok(this.#resolved.spec);
    const { layout, dataDir, ensureEnvoy, identity } = this.#options;
    const found = await ensureEnvoy(service.envoyVersion);
    if (!found.ok) return found;
    const bootstrapDigest = digestOf(service.bootstrapJson);
    // The name depends on the content, because an older Envoy may be restarted with its own file.
    const bootstrapFile = join(layout.dataDir, `bootstrap-${bootstrapDigest.slice(0, 12)}.json`);
    await writeFileAtomically(bootstrapFile, service.bootstrapJson, this.#readable);
    const spec = {
      digest: digestOf(found.value.sha256, bootstrapDigest, String(identity?.uid), START_FORM),
      version: found.value.version,
      binary: identity ? await stageProgram(found.value.path, dataDir) : found.value.path,
      hotRestartVersion: found.value.hotRestartVersion,
      bootstrapDigest,
      bootstrapFile,
    };
    this.#resolved = { generation: service.generation, spec };
    return ok(spec);
  }

  /** Lets Envoy validate the spec. Returns the error, or undefined if it is valid or `signal` has aborted. */
  async validate(spec: EnvoySpec, signal: AbortSignal): Promise<string | undefined> {
    if (this.#validDigest === spec.digest) return undefined;
    const { identity, layout } = this.#options;
    const checked = await runCheck({
      command: validateCommand(spec, layout),
      identity,
      workDir: layout.filesDir,
      env: { PATH: '/usr/bin:/bin' },
      timeoutMs: VALIDATE_TIMEOUT_MS,
      signal,
    });
    if (checked.ok) {
      this.#validDigest = spec.digest;
      return undefined;
    }
    if (checked.error.type === 'aborted') return undefined;
    if (checked.error.type === 'killed') return checked.error.message;
    return extractReason(checked.error.stderr.split('\n').filter((line) => line !== '')) || checked.error.message;
  }

  /**
   * Writes the bootstrap of the current Envoy to the bootstrap file of the layout, and deletes files that no instance needs.
   */
  async publish(spec: EnvoySpec, bootstrap: Uint8Array, instances: readonly EnvoyInstance[]): Promise<void> {
    const { layout } = this.#options;
    if (digestOf(bootstrap) === spec.bootstrapDigest) {
      await writeFileAtomically(layout.bootstrapFile, bootstrap, this.#readable);
    }
    const needed = new Set([spec.bootstrapFile, ...instances.map((one) => one.spec.bootstrapFile)]);
    for (const name of await readdir(layout.dataDir)) {
      const path = join(layout.dataDir, name);
      if (/^bootstrap-[0-9a-f]{12}\.json$/.test(name) && !needed.has(path)) await rm(path, { force: true });
    }
  }

  get #readable(): { mode: number; owner?: FileOwner } {
    const { identity } = this.#options;
    return identity ? { mode: 0o640, owner: { uid: 0, gid: identity.gid } } : { mode: 0o600 };
  }
}

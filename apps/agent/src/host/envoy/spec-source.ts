import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { err, type FileOwner, ok, type Result, writeFileAtomically } from '@flotilla/kit';
import type { fleet, ServiceLayout } from '@flotilla/proto';
import type { ServiceIdentity } from '../identity.ts';
import { lastWords } from '../log-tail.ts';
import { stageProgram } from '../program-stage.ts';
import type { ServiceHostOptions } from '../types.ts';
import { runCheck } from '../units/run-check.ts';
import { digestOf, type EnvoyInstance, type EnvoySpec, validateCommand } from './instance.ts';

/** How an Envoy is started. A new form replaces Envoys that an earlier version of the agent has started. */
const START_FORM = 'ads-secret';
const VALIDATE_TIMEOUT_MS = 30_000;

export interface SpecSourceOptions {
  readonly layout: ServiceLayout;
  readonly dataDir: string;
  readonly identity: ServiceIdentity | undefined;
  readonly envoyDist: ServiceHostOptions['envoyDist'];
}

/** Prepares what an Envoy is started from: binary and bootstrap file, checked and readable for the service's user. */
export class SpecSource {
  readonly #options: SpecSourceOptions;
  #resolved: { readonly generation: bigint; readonly spec: EnvoySpec } | undefined;
  #validDigest: string | undefined;

  constructor(options: SpecSourceOptions) {
    this.#options = options;
  }

  /** The spec of a desired service; downloads a missing version. The error is ready for display. */
  async resolve(service: fleet.DesiredService): Promise<Result<EnvoySpec, string>> {
    if (this.#resolved?.generation === service.generation) return ok(this.#resolved.spec);
    const { layout, dataDir, envoyDist, identity } = this.#options;
    const found = await envoyDist.ensure(service.envoyVersion);
    if (!found.ok) return err(found.error.message);
    const bootstrapDigest = digestOf(service.bootstrapJson);
    // Named after its content: an older Envoy is restarted from the file it was started from
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

  /** Envoy's own validation of a spec: an error, or undefined, also if `signal` aborted. */
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
    return lastWords(checked.error.stderr.split('\n').filter((line) => line !== '')) || checked.error.message;
  }

  /**
   * Keeps the bootstrap file of the layout equal to that of the current Envoy, and deletes files that no instance
   * needs.
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

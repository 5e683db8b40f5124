import { access, constants, realpath, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { toErrorMessage } from '@flotilla/kit';
import { probeEnvoy, sha256OfFile } from './probe.ts';
import type { EnvoyBinary, InstallAttempt } from './types.ts';

export interface InstalledEnvoys {
  readonly binaries: readonly EnvoyBinary[];
  /** Candidates that do not run. */
  readonly attempts: readonly InstallAttempt[];
}

/** Checks `ENVOY_BIN`, then the first `envoy` on PATH. Probes each state of a file once. */
export class InstalledEnvoyFinder {
  readonly #env: NodeJS.ProcessEnv;
  readonly #probed = new Map<string, EnvoyBinary>();

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  async find(): Promise<InstalledEnvoys> {
    const binaries: EnvoyBinary[] = [];
    const attempts: InstallAttempt[] = [];
    const candidates: Array<{ source: 'env' | 'path'; path: string }> = [];
    const named = this.#env.ENVOY_BIN;
    if (named) candidates.push({ source: 'env', path: named });
    const onPath = await this.#findOnPath();
    if (onPath) candidates.push({ source: 'path', path: onPath });
    for (const { source, path } of candidates) {
      const binary = await this.#probe(source, path);
      if (typeof binary === 'string') attempts.push({ source, where: path, problem: binary });
      else binaries.push(binary);
    }
    return { binaries, attempts };
  }

  async #findOnPath(): Promise<string | undefined> {
    for (const folder of (this.#env.PATH ?? '').split(delimiter)) {
      // An empty or relative segment would mean the working directory
      if (!isAbsolute(folder)) continue;
      const path = join(folder, 'envoy');
      try {
        await access(path, constants.X_OK);
        if ((await stat(path)).isFile()) return path;
      } catch {
        // Not here: check the next folder of PATH
      }
    }
    return undefined;
  }

  async #probe(source: 'env' | 'path', path: string): Promise<EnvoyBinary | string> {
    try {
      const real = await realpath(path);
      const { size, mtimeMs } = await stat(real);
      const key = `${real} ${size} ${mtimeMs}`;
      const known = this.#probed.get(key);
      if (known) return { ...known, source, path };
      const probe = await probeEnvoy(path);
      if (!probe.ok) return probe.error;
      const binary: EnvoyBinary = { ...probe.value, path, source, sha256: await sha256OfFile(real) };
      this.#probed.set(key, binary);
      return binary;
    } catch (error) {
      return toErrorMessage(error);
    }
  }
}

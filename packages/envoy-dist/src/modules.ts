import { err, ok } from '@flotilla/kit';
import { findModuleProblem } from './program-header.ts';
import { ReleaseStore } from './release-store.ts';
import { VersionStore } from './version-store.ts';

const MODULE_MAX_BYTES = 256 * 1024 * 1024;

/** The WAF modules of a host: `<dir>/<version>/coraza.wasm`. */
export function createModuleStore(dir: string): ReleaseStore {
  return new ReleaseStore({
    store: new VersionStore({ dir, file: 'coraza.wasm' }),
    maxBytes: MODULE_MAX_BYTES,
    check: async (path) => {
      const wrong = await findModuleProblem(path);
      return wrong ? err({ code: wrong.kind, problem: wrong.problem }) : ok({ hotRestartVersion: '' });
    },
  });
}

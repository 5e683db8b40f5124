import { err, ok, type Result } from '@flotilla/kit';
import { newRecord } from '../appliance/support-bundle/bundle-folder.ts';
import type { Appliance, BundleChunk, BundleProblem } from '../appliance/types.ts';

/** An appliance in memory. Its bundles stay RUNNING. */
export class FakeAppliance implements Appliance {
  readonly created: string[] = [];

  status(): Promise<Readonly<Record<string, unknown>>> {
    return Promise.resolve({ unavailable: [] });
  }

  readonly bundles = {
    list: () => Promise.resolve(this.created.map((id) => newRecord(id, new Date(0)))),
    create: (id: string) => {
      this.created.push(id);
      return Promise.resolve(ok(newRecord(id, new Date(0))));
    },
    read: (id: string): Promise<Result<BundleChunk, BundleProblem>> =>
      Promise.resolve(err({ code: 'bundle.not_ready', message: `${id} is still being created` })),
    remove: () => Promise.resolve(ok(false)),
  };
}

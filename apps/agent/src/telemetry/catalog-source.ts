import type { RelayedSnapshots } from '../relay/service-relay.ts';
import { Catalog } from './model/catalog.ts';
import { readEnvoyNames } from './model/envoy-names.ts';

/** Returns the same catalog as long as the snapshots of a service do not change. */
export class CatalogSource {
  #catalog = new Catalog(readEnvoyNames(undefined));
  #versions = '';

  get({ newest, lastGood }: RelayedSnapshots = { newest: undefined, lastGood: undefined }): Catalog {
    const versions = `${newest?.version} ${lastGood?.version}`;
    if (versions !== this.#versions) {
      this.#catalog = new Catalog(readEnvoyNames(newest), readEnvoyNames(lastGood));
      this.#versions = versions;
    }
    return this.#catalog;
  }
}

import { CLOUD_SETTINGS, failCloudLookup, OUTGOING_SETTINGS } from '@flotilla/contract';
import { type Closable, Lifecycle, toErrorMessage } from '@flotilla/kit';
import { type AddressGuard, createAddressGuard } from '../../../platform/outbound/index.ts';
import type { Settings } from '../../../platform/settings/index.ts';
import { CloudNetworks } from './cloud-networks.ts';
import type { Cloud } from './openstack/cloud.ts';
import { Networking } from './openstack/networking.ts';
import { CloudSessions } from './openstack/sessions.ts';
import { trySignIn } from './openstack/sign-in.ts';

export interface CloudChoice {
  /** Id of the project in the cloud. */
  readonly cloud_project: string;
  /** Needed if the project has several clouds. */
  readonly cloud?: string | undefined;
}

/** Reads the networks of the clouds whose credentials the projects have stored. */
export class CloudLookups implements Closable {
  readonly #settings: Pick<Settings, 'get' | 'names'>;
  readonly #sessions = new CloudSessions(Date.now);
  readonly #lifecycle = new Lifecycle();
  #guard: AddressGuard = createAddressGuard([]);

  private constructor(settings: Pick<Settings, 'get' | 'names'>) {
    this.#settings = settings;
  }

  static async open(settings: Pick<Settings, 'get' | 'names' | 'watch' | 'addTest'>): Promise<CloudLookups> {
    const lookups = new CloudLookups(settings);
    const watch = await settings.watch(OUTGOING_SETTINGS, (value) => {
      lookups.#guard = createAddressGuard(value.allowed_networks);
    });
    lookups.#lifecycle.add(() => watch.close());
    settings.addTest(CLOUD_SETTINGS, async (value) => [
      await lookups.#try({ name: value.region_name, version: 'trial', settings: value }),
    ]);
    return lookups;
  }

  close(): Promise<void> {
    return this.#lifecycle.close();
  }

  /** Throws cloud.missing, cloud.unknown and cloud.ambiguous. */
  async networksOf(
    projectId: string,
    { cloud_project: cloudProject, cloud: given }: CloudChoice,
  ): Promise<CloudNetworks> {
    const cloud = await this.#choose(projectId, given);
    return new CloudNetworks(
      new Networking(this.#sessions, { projectId, cloud, cloudProject }, this.#guard),
      cloud.name,
    );
  }

  async #choose(projectId: string, given: string | undefined): Promise<Cloud> {
    const names = await this.#settings.names(CLOUD_SETTINGS, projectId);
    const [first, ...others] = given === undefined ? names : names.filter((name) => name === given);
    if (first === undefined) {
      if (given === undefined || names.length === 0) throw failCloudLookup('cloud.missing', {});
      throw failCloudLookup('cloud.unknown', { name: given, names: names.join(', ') });
    }
    if (others.length > 0) throw failCloudLookup('cloud.ambiguous', { names: names.join(', ') });
    const { value, version } = await this.#settings.get(CLOUD_SETTINGS, { project: projectId, name: first });
    return { name: first, version, settings: value };
  }

  async #try(cloud: Cloud) {
    try {
      return {
        name: 'sign_in',
        ok: true,
        message: `the credential is accepted: ${await trySignIn(cloud, this.#guard)}`,
      };
    } catch (error) {
      return { name: 'sign_in', ok: false, message: toErrorMessage(error) };
    }
  }
}

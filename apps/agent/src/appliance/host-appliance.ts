import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Clock, Logger } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import type { Capability } from '@flotilla/proto/commands';
import { untilAborted } from '../host/serial-loop.ts';
import { ChangeFolder } from '../network/change-folder.ts';
import type { Block } from './status/block.ts';
import { readBootSlots } from './status/boot-slots.ts';
import { readCompliance } from './status/compliance.ts';
import { type Component, readComponents } from './status/components.ts';
import { readFirewall } from './status/firewall.ts';
import { readHealth } from './status/health.ts';
import { readNetworkChange } from './status/network-change.ts';
import { parseAssignments, readText } from './status/read-text.ts';
import { readUpgrade } from './status/upgrade.ts';
import type { LiveAnswers } from './support-bundle/live-answers.ts';
import { SupportBundles } from './support-bundle/support-bundles.ts';
import { toBundleResult } from './to-bundle-result.ts';
import type { Appliance, Unavailable } from './types.ts';

export interface ApplianceOptions {
  readonly dataDir: string;
  /** Contains `etc` of the host; `/` except in tests and containers. */
  readonly root: string;
  readonly flotillaCommand: readonly string[];
  readonly agentVersion: string;
  readonly vtysh: string;
  readonly journalCommand: readonly string[];
  readonly live: Omit<LiveAnswers, 'status'>;
  /** The versions that the agent has installed. */
  readonly installed: () => Promise<readonly Component[]>;
  readonly lacks: (capability: Capability) => string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Only tests set these. */
  readonly keptMs?: number | undefined;
  readonly checkMs?: number | undefined;
}

/** This host as an appliance. */
export class HostAppliance implements Appliance {
  readonly #options: ApplianceOptions;
  readonly bundles: SupportBundles;

  constructor(options: ApplianceOptions) {
    const { dataDir, root, vtysh, journalCommand, flotillaCommand, clock, logger, keptMs, checkMs } = options;
    this.#options = options;
    this.bundles = new SupportBundles({
      dataDir,
      live: { ...options.live, status: (signal) => this.status(signal) },
      command: [...flotillaCommand, 'support-bundle'],
      order: { root, vtysh, journalCommand },
      clock,
      logger,
      keptMs,
      checkMs,
    });
  }

  async status(signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
    const blocks = await untilAborted(this.#readBlocks(), signal);
    signal.throwIfAborted();
    return blocks ?? {};
  }

  async #readBlocks(): Promise<Readonly<Record<string, unknown>>> {
    const { dataDir, root } = this.#options;
    const unavailable: Unavailable[] = [];
    const orNull = <T>(block: string, read: Block<T>): T | null => {
      if ('value' in read) return read.value;
      unavailable.push({ block, reason: read.unavailable });
      return null;
    };
    const [slots, upgrade, health, firewall, compliance, network, components, artifacts, info] = await Promise.all([
      attempt(readBootSlots()),
      attempt(toBlock(readUpgrade(root))),
      attempt(toBlock(readHealth({ folders: ['/', dataDir], failing: this.#listFailing() }))),
      attempt(readFirewall()),
      attempt(toBlock(readCompliance(dataDir))),
      attempt(toBlock(this.#readNetwork())),
      attempt(toBlock(this.#readComponents())),
      attempt(toBlock(this.bundles.list().then((bundles) => bundles.map(toBundleResult)))),
      attempt(toBlock(this.#readInfo())),
    ]);
    return {
      boot_slots: orNull('boot_slots', slots),
      upgrade: orNull('upgrade', upgrade),
      health: orNull('health', health),
      firewall: orNull('firewall', firewall),
      compliance: orNull('compliance', compliance),
      network: orNull('network', network),
      components: orNull('components', components),
      artifacts: orNull('artifacts', artifacts),
      info: orNull('info', info),
      unavailable,
    };
  }

  #listFailing() {
    return this.#options.live
      .reports()
      .flatMap(({ serviceId, phase, error }) =>
        phase === fleet.NodePhase.FAILED || error !== ''
          ? [{ service: serviceId, error: error || 'it has failed' }]
          : [],
      );
  }

  async #readNetwork() {
    const folders = await ChangeFolder.list(join(this.#options.dataDir, 'network'));
    const changes = await Promise.all(
      folders.map(async (folder) => ({ path: folder.path, phase: await folder.phase() })),
    );
    return readNetworkChange(changes, Date.now());
  }

  async #readComponents(): Promise<readonly Component[]> {
    const [programs, installed] = await Promise.all([readComponents(), this.#options.installed()]);
    return [{ name: 'flotilla', version: this.#options.agentVersion, source: 'the agent' }, ...installed, ...programs];
  }

  async #readInfo() {
    const { root, lacks } = this.#options;
    const release = parseAssignments((await readText(join(root, 'etc/os-release'))) ?? '');
    const uptime = Number((await readText('/proc/uptime'))?.split(' ')[0]);
    return {
      hostname: hostname(),
      os_id: release.ID ?? null,
      os_version: release.VERSION_ID ?? null,
      os_name: release.PRETTY_NAME ?? null,
      /** Set by images that are installed as a whole. */
      image_id: release.IMAGE_ID ?? null,
      image_version: release.IMAGE_VERSION ?? null,
      boot_id: (await readText('/proc/sys/kernel/random/boot_id')) ?? null,
      uptime_s: Number.isFinite(uptime) ? Math.floor(uptime) : null,
      network_managed_by: lacks('network') === undefined ? 'agent' : 'os',
    };
  }

  close(): Promise<void> {
    return this.bundles.close();
  }
}

async function toBlock<T>(reading: Promise<T>): Promise<Block<T>> {
  return { value: await reading };
}

/** A block that cannot be read hides no other. */
async function attempt<T>(reading: Promise<Block<T>>): Promise<Block<T>> {
  try {
    return await reading;
  } catch (error) {
    return { unavailable: `It cannot be read: ${error instanceof Error ? error.message : String(error)}` };
  }
}

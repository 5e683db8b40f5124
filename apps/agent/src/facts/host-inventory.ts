import { create, equals } from '@bufbuild/protobuf';
import { type Logger, type Result, sleep } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { CAPABILITIES, type Capability } from '@flotilla/proto/commands';
import { Listeners } from '../host/listeners.ts';
import type { MachineFacts } from './detect-cloud.ts';

/** The facts that the agent has to look for. */
export interface InventoryFacts {
  readonly cloud: fleet.CloudFacts | undefined;
  readonly hypervisor: fleet.SourcedFact | undefined;
  readonly bgp: fleet.BgpFact | undefined;
  /** Undefined: this host has no usable IPv4 address, or the agent has not looked yet. */
  readonly ha: fleet.HaFacts | undefined;
  readonly capabilities: readonly fleet.Capability[];
}

export interface Lookups {
  machine(): Promise<MachineFacts>;
  bgp(): Promise<fleet.BgpFact>;
  ha(): Promise<Result<fleet.HaFacts, string>>;
  capabilities(): Promise<readonly fleet.Capability[]>;
}

const INTERVAL_MS = 30_000;
/** A metadata service may start later than the agent. */
const MACHINE_LOOKS_MAX = 10;

/**
 * Looks at the host when it is created, and then on a schedule, because programs start and stop. The machine itself is looked
 * at again only until its metadata service has answered.
 */
export class HostInventory {
  readonly known: Promise<void>;
  readonly #lookups: Lookups;
  readonly #logger: Logger;
  readonly #changed = new Listeners<void>();
  readonly #stopped = new AbortController();
  readonly #ended = Promise.withResolvers<void>();
  readonly #loop: Promise<void>;
  #current: InventoryFacts = {
    cloud: undefined,
    hypervisor: undefined,
    bgp: undefined,
    ha: undefined,
    capabilities: [],
  };
  #machineLooks = 0;

  constructor(lookups: Lookups, logger: Logger, intervalMs = INTERVAL_MS) {
    this.#lookups = lookups;
    this.#logger = logger;
    this.known = this.#look();
    this.#loop = this.#repeat(intervalMs);
  }

  get current(): InventoryFacts {
    return this.#current;
  }

  onChange(listener: () => void): () => void {
    return this.#changed.add(listener);
  }

  lacks(capability: Capability): string | undefined {
    const { capabilities } = this.#current;
    if (capabilities.length === 0) return undefined;
    const found = capabilities.find(({ name }) => name === capability);
    return found?.available ? undefined : (found?.detail ?? CAPABILITIES[capability].install);
  }

  /** Does not wait for a lookup that is running. */
  async close(): Promise<void> {
    this.#stopped.abort();
    this.#ended.resolve();
    await this.#loop;
  }

  async #repeat(intervalMs: number): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      await sleep(intervalMs, signal);
      if (!signal.aborted) await Promise.race([this.#look(), this.#ended.promise]);
    }
  }

  /** Keeps what is known of a lookup that fails. */
  async #look(): Promise<void> {
    const before = this.#current;
    const [machine, bgp, ha, capabilities] = await Promise.all([
      this.#needsMachine() ? this.#attempt('machine') : undefined,
      this.#attempt('bgp'),
      this.#attempt('ha'),
      this.#attempt('capabilities'),
    ]);
    if (machine) this.#machineLooks += 1;
    this.#current = {
      cloud: machine?.cloud ?? before.cloud,
      hypervisor: machine ? machine.hypervisor : before.hypervisor,
      bgp: bgp ?? before.bgp,
      ha: ha === undefined ? before.ha : ha.ok ? ha.value : undefined,
      capabilities: capabilities ?? before.capabilities,
    };
    if (this.#stopped.signal.aborted || areEqual(before, this.#current)) return;
    this.#logger.info({ provider: this.#current.cloud?.provider?.value, bgp: bgp?.running }, 'host.facts_changed');
    this.#changed.notify();
  }

  #needsMachine(): boolean {
    const { cloud, hypervisor } = this.#current;
    if (cloud?.detection === fleet.CloudDetection.OFF || this.#machineLooks >= MACHINE_LOOKS_MAX) return false;
    if (cloud?.detection === fleet.CloudDetection.NONE) return hypervisor?.value !== 'none';
    return cloud?.serverId === undefined;
  }

  async #attempt<Name extends keyof Lookups>(name: Name): Promise<Awaited<ReturnType<Lookups[Name]>> | undefined> {
    try {
      return (await this.#lookups[name]()) as Awaited<ReturnType<Lookups[Name]>>;
    } catch (error) {
      this.#logger.warn({ err: error, fact: name }, 'host.fact_unreadable');
      return undefined;
    }
  }
}

function areEqual(a: InventoryFacts, b: InventoryFacts): boolean {
  const toMessage = (facts: InventoryFacts) =>
    create(fleet.HostFactsSchema, { ...facts, capabilities: [...facts.capabilities] });
  return equals(fleet.HostFactsSchema, toMessage(a), toMessage(b));
}

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { create } from '@bufbuild/protobuf';
import { SimulatedAgent } from '@flotilla/agent/testing/simulated-agent';
import { SimulatedPair } from '@flotilla/agent/testing/simulated-pair';
import { type CallInput, clientRoutes, fleetRoutes, type HaPair, haRoutes, serviceRoutes } from '@flotilla/contract';
import { fleet } from '@flotilla/proto';
import { Owner } from './owner.ts';
import type { Stage } from './stage.ts';

const ENROL = fileURLToPath(new URL('../enrol-hosts-process.ts', import.meta.url));
const OUTPUT_MAX_BYTES = 10_000_000;
const MASTER_KEY = '2a'.repeat(32);

/** The controller of a stage with HA pairs. The hosts are enrolled with its master key. */
export const HA_ENV = {
  SVC_MASTER_KEY: MASTER_KEY,
  SVC_JWT_SECRET: 'a secret of a test, which is long enough for a controller',
} as const;

type Index = 0 | 1;
type CreateBody = NonNullable<CallInput<typeof haRoutes.create>['body']>;

/** A host with a certificate of the controller. All hosts have one key. */
interface EnrolledHost {
  readonly clientId: string;
  readonly name: string;
  readonly certificatePem: string;
}

interface EnrolledHosts {
  readonly caPem: string;
  readonly keyPem: string;
  readonly hosts: readonly EnrolledHost[];
}

export interface Pair {
  readonly id: string;
  readonly hosts: readonly [EnrolledHost, EnrolledHost];
  /** Controls both members. */
  readonly simulation: SimulatedPair;
  /** The host of a member dies: its connection ends, and the other member takes over. */
  kill(index: Index): Promise<void>;
}

/** Hosts with real connections to the controller of a stage, and simulated HA daemons. */
export class HaFleet {
  readonly owner: Owner;
  readonly #stage: Stage;
  readonly #hosts: EnrolledHosts;
  readonly #agents = new Map<string, SimulatedAgent>();
  readonly #timers: NodeJS.Timeout[] = [];
  /** Why the commands of a host fail, by client. */
  readonly #failing = new Map<string, string>();
  #used = 0;

  private constructor(stage: Stage, owner: Owner, hosts: EnrolledHosts) {
    this.#stage = stage;
    this.owner = owner;
    this.#hosts = hosts;
  }

  /** Enrols the hosts, which connect when they are used. */
  static async open(stage: Stage, count: number): Promise<HaFleet> {
    const owner = await Owner.of(stage);
    const dataDir = join(stage.fleet.dataDir, 'controller');
    const argv = [ENROL, dataDir, MASTER_KEY, owner.project, `${count}`];
    const { stdout } = await promisify(execFile)(process.execPath, argv, { maxBuffer: OUTPUT_MAX_BYTES });
    const hosts: EnrolledHosts = JSON.parse(stdout);
    return new HaFleet(stage, owner, hosts);
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all([...this.#agents.values()].map((agent) => agent.close()));
  }

  /** Takes hosts that no test uses yet, and connects them as the members of a pair that is still to be created. */
  async takeMembers(): Promise<Omit<Pair, 'id'>> {
    const hosts = [this.#take(), this.#take()] as const;
    const simulation = new SimulatedPair();
    for (const index of [0, 1] as const) this.#connect(hosts[index], { simulation, index });
    await this.#untilConnected(hosts);
    const kill = async (index: Index) => {
      await this.#agents.get(hosts[index].clientId)?.close();
      simulation.kill(index);
    };
    return { hosts, simulation, kill };
  }

  /** Connects a host that cannot be a member, because it is no appliance. Returns its name. */
  async addOtherHost(): Promise<string> {
    const host = this.#take();
    this.#connect(host, { simulation: new SimulatedPair(), index: 0, capabilities: [] });
    await this.#untilConnected([host]);
    return host.name;
  }

  /** Takes a host that joins a pair as the given member. */
  async takeMember(simulation: SimulatedPair, index: Index): Promise<EnrolledHost> {
    const host = this.#take();
    simulation.revive(index);
    this.#connect(host, { simulation, index });
    await this.#untilConnected([host]);
    return host;
  }

  async createPair(name: string, more: Partial<CreateBody> = {}): Promise<Pair> {
    const members = await this.takeMembers();
    const { id } = await this.owner.call(haRoutes.create, {
      query: {},
      body: {
        name,
        project: this.owner.project,
        members: members.hosts.map(({ clientId }, i) => ({ client_id: clientId, priority: 200 - 100 * i })),
        fence_targets: ['192.0.2.254'],
        ...more,
      },
    });
    return { id, ...members };
  }

  /** Creates a pair of one host. */
  async createLonePair(name: string): Promise<void> {
    const simulation = new SimulatedPair();
    const host = this.#take();
    this.#connect(host, { simulation, index: 0 });
    await this.#untilConnected([host]);
    await this.owner.call(haRoutes.create, {
      query: {},
      body: { name, project: this.owner.project, members: [{ client_id: host.clientId, priority: 200 }] },
    });
  }

  /** Removes the client of a dead host, which is a member of a pair. */
  async removeByForce({ clientId }: EnrolledHost): Promise<void> {
    await this.owner.call(clientRoutes.remove, {
      params: { client_id: clientId },
      query: { project: this.owner.project, force: 'true' },
    });
  }

  /** Lets all commands of the host fail with this message. Undefined: they succeed again. */
  fail({ clientId }: EnrolledHost, message: string | undefined): void {
    if (message === undefined) this.#failing.delete(clientId);
    else this.#failing.set(clientId, message);
  }

  /** Creates a service with an address and deploys it to the hosts. */
  async addService(
    name: string,
    address: string,
    { hosts }: { readonly hosts: readonly EnrolledHost[] },
  ): Promise<void> {
    const query = { project: this.owner.project };
    const { items } = await this.owner.call(fleetRoutes.services, { query });
    const demo = items.find((one) => one.name === 'demo');
    await this.owner.call(serviceRoutes.create, {
      query,
      body: { name, version: demo?.version ?? '', bootstrap: 'demo-bootstrap', listeners: [] },
    });
    const { status, body } = await this.#stage.fleet.api('POST', '/api/op/clients?wait_ms=2000', {
      type: 'DEPLOY',
      clients: hosts.map(({ clientId }) => ({ client_id: clientId, downstream_address: address })),
      command: { name },
    });
    const hasFailed = ({ outcome }: { outcome: string }) => outcome === 'refused' || outcome === 'failed';
    if (status !== 200 || body.results.some(hasFailed)) throw new Error(JSON.stringify(body));
  }

  read(id: string): Promise<HaPair> {
    return this.owner.call(haRoutes.read, { params: { pair_id: id }, query: { project: this.owner.project } });
  }

  /** Resolves when the controller derives this status from the reports. */
  untilStatus(id: string, status: HaPair['status']): Promise<void> {
    return this.#stage.fleet.until(async () => (await this.read(id)).status === status, `the pair is ${status}`);
  }

  #take(): EnrolledHost {
    const host = this.#hosts.hosts[this.#used];
    if (!host) throw new Error('too few hosts are enrolled');
    this.#used += 1;
    return host;
  }

  #connect(host: EnrolledHost, { simulation, index, capabilities = APPLIANCE }: Connection): void {
    const { caPem, keyPem } = this.#hosts;
    const agent = new SimulatedAgent({
      controller: { host: '127.0.0.1', port: this.#stage.fleet.ports.grpc },
      credentials: { caPem, keyPem, certificatePem: host.certificatePem },
      facts: describeHost(host, { number: this.#hosts.hosts.indexOf(host) + 1, capabilities }),
      onDesired: (state) => simulation.setDesired(index, state),
      answer: (command) => simulation.answer(index, command) ?? this.#answer(host),
    });
    simulation.attach(index, (report) =>
      agent.put('ha', {
        case: 'haReport',
        value: create(fleet.HaReportSchema, { reportJson: Buffer.from(JSON.stringify(report)) }),
      }),
    );
    this.#agents.set(host.clientId, agent);
    this.#timers.push(setInterval(() => simulation.report(), 2000));
    agent.start();
  }

  /** Deployments and the like end at once. */
  #answer({ clientId }: EnrolledHost) {
    const message = this.#failing.get(clientId);
    if (message === undefined) return { outcome: 'done' } as const;
    return { outcome: 'failed', code: 'test.failed', message } as const;
  }

  async #untilConnected(hosts: readonly EnrolledHost[]): Promise<void> {
    await this.#stage.fleet.until(
      () => hosts.every(({ clientId }) => this.#agents.get(clientId)?.isConnected),
      'the members are connected',
    );
  }
}

interface HostCapability {
  readonly name: string;
  readonly available: boolean;
  readonly detail: string;
}

/** Runs services, and can be a member of a pair. */
const APPLIANCE: readonly HostCapability[] = ['proxy', 'ha'].map((name) => ({ name, available: true, detail: '' }));

interface Connection {
  readonly simulation: SimulatedPair;
  readonly index: Index;
  /** By default those of an appliance. */
  readonly capabilities?: readonly HostCapability[];
}

/** A host with addresses on two networks. */
function describeHost(
  { name }: EnrolledHost,
  { number, capabilities }: { readonly number: number; readonly capabilities: readonly HostCapability[] },
): fleet.HostFacts {
  return create(fleet.HostFactsSchema, {
    name,
    hostname: `${name}.example.com`,
    os: 'linux',
    arch: 'linux-amd64',
    kernel: '6.1.0',
    agentVersion: '0.1.0',
    cores: 4,
    memoryBytes: 8_000_000_000n,
    runtimeDir: '/run/flotilla',
    dataDir: '/var/lib/flotilla',
    capabilities: [...capabilities],
    ha: { dataAddress: `192.0.2.${number}`, dataPrefix: '192.0.2.0/24', mgmtAddress: `198.51.100.${number}` },
  });
}

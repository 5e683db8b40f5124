import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { createId } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { TEST_ENVOY_CACHE_DIR, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import type { Controller } from '../compose.ts';
import type { AgentSession } from '../modules/fleet/agents/index.ts';
import type { ClientStreams } from '../modules/fleet/commands/index.ts';
import { createTestController, type TestController, type TestControllerOptions } from './controller.ts';

export const TEST_VERSION: string = TEST_ENVOY_VERSIONS.newest;

/** Facts of a fictional host. */
export function hostFacts(more: MessageInitShape<typeof fleet.HostFactsSchema> = {}): fleet.HostFacts {
  return create(fleet.HostFactsSchema, {
    name: 'edge',
    hostname: 'edge-1.example.com',
    os: 'linux',
    arch: 'linux-amd64',
    kernel: '6.1.0',
    agentVersion: '0.1.0',
    cores: 4,
    memoryBytes: 8_000_000_000n,
    runtimeDir: '/run/flotilla',
    dataDir: '/var/lib/flotilla',
    ...more,
  });
}

export type Reaction = MessageInitShape<typeof fleet.CommandResultSchema> | 'silent' | 'accept';

/** An agent without a connection: calls its session like a command stream, and answers commands as the test defines. */
export class TestAgent {
  readonly clientId: string;
  readonly session: AgentSession;
  readonly desired: fleet.DesiredState[] = [];
  readonly commands: fleet.Command[] = [];
  react: (command: fleet.Command) => Reaction = () => ({ outcome: fleet.Outcome.DONE });
  readonly #seen = new Set<string>();
  #work: Promise<void> = Promise.resolve();

  constructor(clientId: string, session: AgentSession) {
    this.clientId = clientId;
    this.session = session;
  }

  /** Resolves when all work so far is done. */
  async settled(): Promise<void> {
    await this.#work;
  }

  readDesired(): void {
    this.#enqueue(async () => {
      const state = await this.session.desiredState();
      const last = this.desired.at(-1);
      if (last === undefined || state.revision > last.revision) this.desired.push(state);
    });
  }

  readCommands(): void {
    this.#enqueue(async () => {
      for (const command of await this.session.unfinishedCommands()) {
        if (this.#seen.has(command.commandId)) continue;
        this.#seen.add(command.commandId);
        this.commands.push(command);
        await this.session.sent(command.commandId);
        await this.#answer(command);
      }
    });
  }

  async #answer(command: fleet.Command): Promise<void> {
    const reaction = this.react(command);
    if (reaction === 'silent') return;
    await this.session.accepted(command.commandId);
    if (reaction === 'accept') return;
    await this.session.result(create(fleet.CommandResultSchema, { commandId: command.commandId, ...reaction }));
  }

  #enqueue(work: () => Promise<void>): void {
    this.#work = this.#work.then(work);
  }
}

/** The streams of one controller, in memory. */
export class TestStreams implements ClientStreams {
  readonly agents = new Map<string, TestAgent>();
  readonly displaced: string[] = [];

  isConnected(clientId: string): boolean {
    return this.agents.has(clientId);
  }

  noteDesired(clientId: string): void {
    this.agents.get(clientId)?.readDesired();
  }

  noteCommands(clientId: string): void {
    this.agents.get(clientId)?.readCommands();
  }

  noteAll(): void {
    for (const agent of this.agents.values()) {
      agent.readDesired();
      agent.readCommands();
    }
  }

  displace(clientId: string): void {
    this.displaced.push(clientId);
    this.agents.delete(clientId);
  }
}

export interface TestFleet extends TestController {
  readonly streams: TestStreams;
  createClient(name?: string, project?: string): Promise<string>;
  /** Opens a stream of the client and lets it read its state. */
  connect(
    clientId: string,
    nodes?: readonly fleet.NodeReport[],
    at?: { controller: Pick<Controller, 'fleet'>; streams: TestStreams },
  ): Promise<TestAgent>;
  disconnect(agent: TestAgent): Promise<void>;
  /** Creates a service of the project with the documents that it needs. */
  createService(more?: Record<string, unknown>): Promise<{ id: string; name: string }>;
}

/** Several controllers of one test share the database, so they need one master key. With the secret, there are HA pairs. */
export const TEST_FLEET_ENV = {
  SVC_ENVOY_CACHE_DIR: TEST_ENVOY_CACHE_DIR,
  SVC_MASTER_KEY: '2a'.repeat(32),
  SVC_JWT_SECRET: 'a secret of the test fleet, long enough for it',
};

/** Registers a client as its enrolment would, without an agent. Returns its id. */
export async function registerClient(t: TestController, facts: fleet.HostFacts, project = t.project): Promise<string> {
  const client = { id: createId(), projectId: project, facts, now: new Date() };
  await t.database.db.transaction().execute((tx) => t.controller.fleet.clients.register(tx, client));
  return client.id;
}

/** The real controller with clients whose agents are in memory. */
export async function createTestFleet(options: TestControllerOptions = {}): Promise<TestFleet> {
  const t = await createTestController(TEST_FLEET_ENV, options);
  const streams = new TestStreams();
  const { fleet: fleetPart } = t.controller;
  fleetPart.attach(streams);
  await addDocuments(t, t.project);
  const agents: TestAgent[] = [];
  let counter = 0;
  return {
    ...t,
    streams,
    async close() {
      streams.agents.clear();
      await Promise.all(agents.map((agent) => agent.settled()));
      await t.close();
    },
    createClient: (name = 'edge', project = t.project) => registerClient(t, hostFacts({ name }), project),
    async connect(clientId, nodes = [], at = { controller: t.controller, streams }) {
      const { name } = await t.database.db
        .selectFrom('clients')
        .select('name')
        .where('id', '=', clientId)
        .executeTakeFirstOrThrow();
      const hello = create(fleet.HelloSchema, { facts: hostFacts({ name }), nodes: [...nodes] });
      const session = await at.controller.fleet.sessions.opened({ clientId }, hello);
      const agent = new TestAgent(clientId, session);
      agents.push(agent);
      at.streams.agents.set(clientId, agent);
      agent.readDesired();
      agent.readCommands();
      return agent;
    },
    async disconnect(agent) {
      streams.agents.delete(agent.clientId);
      await agent.settled();
      await agent.session.closed('connection lost');
    },
    async createService(more = {}) {
      counter += 1;
      const body = { name: `svc-${counter}`, version: TEST_VERSION, bootstrap: 'boot', listeners: ['web'], ...more };
      const answer = await t.owner.call('POST', `/api/op/services?project=${t.project}`, body);
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
      return answer.body;
    },
  };
}

/** A minimal bootstrap `boot` and minimal listeners, which open no port, so that many services may have them on one client. */
export async function addDocuments(t: TestController, project: string, versions = [TEST_VERSION]): Promise<void> {
  for (const version of versions) {
    const documents = [
      { collection: 'bootstrap', name: 'boot', resource: {} },
      ...['web', 'admin', 'one', 'two'].map((name, i) => ({
        collection: 'listeners',
        name,
        resource: {
          address: { socket_address: { address: '127.0.0.1', port_value: 18_000 + i } },
          bind_to_port: false,
        },
      })),
    ];
    for (const { collection, name, resource } of documents) {
      const url = `/api/v3/xds/${collection}?project=${project}`;
      const answer = await t.owner.call('POST', url, { name, version, resource });
      if (answer.status !== 201) throw new Error(`${collection}/${name}: ${JSON.stringify(answer.body)}`);
    }
  }
}

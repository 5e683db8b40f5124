import { hostname } from 'node:os';
import {
  ApiClient,
  ApiError,
  apiTokenRoutes,
  clientRoutes,
  commandRoutes,
  documentRoutes,
  enrolmentRoutes,
  policyRoutes,
  projectRoutes,
  serviceRoutes,
  sessionRoutes,
} from '@flotilla/contract';
import { err, ok, type Result, sleep } from '@flotilla/kit';
import { createDemoDocuments, DEMO, DEMO_POLICY } from './demo.ts';
import type { UpOptions } from './options.ts';
import type { UpState } from './state.ts';
import { hasTraffic } from './traffic.ts';

export interface SeedOptions {
  readonly baseUrl: string;
  readonly state: UpState;
  readonly options: UpOptions;
  readonly upstreamPort: number;
  /** False if no Envoy is available; nothing is deployed then. */
  readonly withProxy: boolean;
  readonly signal: AbortSignal;
  /** With a token, the agent enrols. Without one, it uses its certificate. */
  startAgent(enrolToken: string | undefined): Promise<unknown>;
  saveState(state: UpState): Promise<void>;
  say(text: string): void;
}

/** Project, client and Envoy version of the demo service. */
interface Target {
  readonly project: string;
  readonly clientId: string;
  readonly version: string;
}

const CONNECT_TIMEOUT_MS = 60_000;
const TRAFFIC_TIMEOUT_MS = 90_000;

/** Sets up the demo over the REST API, as a user would. Skips steps that were done before. */
export async function seedDemo(seed: SeedOptions): Promise<Result<undefined, string>> {
  try {
    return await new DemoSeeder(seed).run();
  } catch (error) {
    if (error instanceof ApiError)
      return err(`${error.message} (${error.body.code}, request ${error.body.request_id})`);
    throw error;
  }
}

class DemoSeeder {
  readonly #seed: SeedOptions;
  readonly #api: ApiClient;
  #state: UpState;
  #token: string | undefined;

  constructor(seed: SeedOptions) {
    this.#seed = seed;
    this.#state = seed.state;
    this.#token = seed.state.apiToken;
    this.#api = new ApiClient({ baseUrl: seed.baseUrl, token: () => this.#token });
  }

  async run(): Promise<Result<undefined, string>> {
    const project = await this.#ensureToken();
    const clientId = await this.#ensureClient(project);
    if (clientId === undefined) return err('the agent did not connect in time; see logs/agent.log in the data folder');
    this.#seed.say('Writing the demo');
    const existing = await this.#findService(project);
    // The documents of the demo have this version. A user changes it in the service, not with --envoy.
    const version = existing?.version ?? this.#state.seeded?.envoyVersion ?? this.#seed.options.envoyVersion;
    await this.#writeDocuments(project, version);
    await this.#writePolicy(project);
    const serviceId = existing?.id ?? (await this.#createService({ project, clientId, version }));
    if (!this.#seed.withProxy) return ok(undefined);
    await this.#deploy({ project, clientId, version });
    this.#seed.say('Waiting for traffic to flow');
    return this.#waitForTraffic(project, serviceId);
  }

  async #ensureToken(): Promise<string> {
    if (this.#state.apiToken && this.#state.project) return this.#state.project;
    const login = await this.#api.call(sessionRoutes.login, {
      body: { username: 'admin', password: this.#state.password },
    });
    this.#token = login.body.access_token;
    const { body: projects } = await this.#api.call(projectRoutes.list, { query: {} });
    const project = projects.items[0]?.id ?? '';
    const created = await this.#api.call(apiTokenRoutes.create, {
      query: { project },
      body: { name: 'flotilla-up', role: 'owner' },
    });
    this.#token = created.body.token;
    await this.#save({ apiToken: created.body.token, project });
    return project;
  }

  async #ensureClient(project: string): Promise<string | undefined> {
    const known = this.#state.clientId;
    if (known === undefined) {
      const { body } = await this.#api.call(enrolmentRoutes.createToken, {
        query: { project },
        body: { note: `flotilla up on ${hostname()}` },
      });
      await this.#seed.startAgent(body.token ?? undefined);
    } else {
      await this.#seed.startAgent(undefined);
    }
    this.#seed.say('Waiting for the agent');
    const deadline = Date.now() + CONNECT_TIMEOUT_MS;
    while (Date.now() < deadline && !this.#seed.signal.aborted) {
      const { body } = await this.#api.call(clientRoutes.list, { query: { project } });
      const client = body.items.find(
        (one) => one.status === 'Live' && (known === undefined || one.client_id === known),
      );
      if (client) {
        await this.#save({ clientId: client.client_id });
        return client.client_id;
      }
      await sleep(50, this.#seed.signal);
    }
    return undefined;
  }

  /** Writes all documents at the first start. Later, writes only those whose port has changed, and keeps edits of the others. */
  async #writeDocuments(project: string, version: string): Promise<void> {
    const { proxyPort } = this.#seed.options;
    const { upstreamPort } = this.#seed;
    const { seeded } = this.#state;
    const documents = createDemoDocuments({ proxyPort, upstreamPort }).filter(
      ({ name }) =>
        seeded === undefined ||
        (name === DEMO.cluster && seeded.upstreamPort !== upstreamPort) ||
        (name === DEMO.listener && seeded.proxyPort !== proxyPort),
    );
    if (documents.length > 0) {
      await this.#api.call(documentRoutes.apply, {
        query: {},
        body: { project, documents: documents.map((document) => ({ ...document, version })) },
      });
    }
    await this.#save({ seeded: { upstreamPort, proxyPort, envoyVersion: version } });
  }

  async #writePolicy(project: string): Promise<void> {
    const { body } = await this.#api.call(policyRoutes.list, { query: { project, name: DEMO.policy } });
    // Keeps a policy that exists, because a user may have changed it.
    if (body.items.length > 0) return;
    await this.#api.call(policyRoutes.create, { query: { project }, body: { name: DEMO.policy, text: DEMO_POLICY } });
  }

  async #findService(project: string): Promise<{ readonly id: string; readonly version: string } | undefined> {
    const { body } = await this.#api.call(serviceRoutes.list, { query: { project, name: DEMO.service } });
    return body.items.find(({ name }) => name === DEMO.service);
  }

  async #createService({ project, clientId, version }: Target): Promise<string> {
    const created = await this.#api.call(serviceRoutes.create, {
      query: { project },
      body: {
        name: DEMO.service,
        version,
        bootstrap: DEMO.bootstrap,
        listeners: [DEMO.listener],
        policies: [DEMO.policy],
        clients: [{ client_id: clientId, addresses: ['127.0.0.1'] }],
      },
    });
    return created.body.id;
  }

  async #deploy({ project, clientId, version }: Target): Promise<void> {
    await this.#api.call(commandRoutes.dispatch, {
      query: { project, version },
      body: { type: 'DEPLOY', clients: [{ client_id: clientId }], command: { project, name: DEMO.service } },
    });
  }

  async #waitForTraffic(project: string, serviceId: string): Promise<Result<undefined, string>> {
    const { proxyPort } = this.#seed.options;
    const deadline = Date.now() + TRAFFIC_TIMEOUT_MS;
    while (Date.now() < deadline && !this.#seed.signal.aborted) {
      if (await hasTraffic(proxyPort)) return ok(undefined);
      await sleep(50, this.#seed.signal);
    }
    const { body } = await this.#api.call(serviceRoutes.detail, {
      params: { service_id: serviceId },
      query: { project },
    });
    const reasons = [...body.nodes.map(({ error }) => error), ...body.errors.map(({ message }) => message)].filter(
      Boolean,
    );
    return err(`no traffic flows through the demo's proxy. ${reasons.join('; ')}`);
  }

  async #save(change: Partial<UpState>): Promise<void> {
    this.#state = { ...this.#state, ...change };
    await this.#seed.saveState(this.#state);
  }
}

import { createTestController, type TestController } from '@flotilla/controller/testing/controller';
import { ensureTestEnvoy, TEST_ENVOY_CACHE_DIR, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import type { ServiceHost } from '../host/index.ts';
import { TestAgent, waitFor } from './test-agent.ts';
import { createTestHost, type TestHost } from './test-host.ts';

interface StageOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** The versions of Envoy that the controller knows. */
  readonly knownVersions?: readonly string[];
  readonly host?: Parameters<TestHost['open']>[0];
}

/** A real controller and a connected agent, which runs services with a real Envoy in folders of its own. */
export class AgentStage {
  readonly t: TestController;
  readonly agent: TestAgent;
  readonly folders: TestHost;
  readonly host: ServiceHost;

  private constructor(parts: Pick<AgentStage, 't' | 'agent' | 'folders' | 'host'>) {
    this.t = parts.t;
    this.agent = parts.agent;
    this.folders = parts.folders;
    this.host = parts.host;
  }

  static async open({ env, knownVersions, host: hostOptions }: StageOptions = {}): Promise<AgentStage> {
    await ensureTestEnvoy(TEST_ENVOY_VERSIONS.newest);
    const t = await createTestController(
      { SVC_ENVOY_CACHE_DIR: TEST_ENVOY_CACHE_DIR, ...env },
      { ...(knownVersions && { knownVersions }) },
    );
    const agent = await TestAgent.create({ port: await t.controller.streams.listen({ host: '127.0.0.1', port: 0 }) });
    const folders = await createTestHost();
    const host = folders.open(hostOptions);
    const token = await t.owner.call('POST', `/api/v3/setting/enrolment-tokens?project=${t.project}`, {});
    const enrolled = await agent.enrol(token.body.token);
    if (!enrolled.ok) throw new Error(enrolled.error);
    const running = await agent.start({ host });
    await waitFor('connected', () => running.isConnected);
    return new AgentStage({ t, agent, folders, host });
  }

  /** Creates a service from the documents `boot` and `web` of the project. Returns its id. */
  async createService(name: string): Promise<string> {
    const body = { name, version: TEST_ENVOY_VERSIONS.newest, bootstrap: 'boot', listeners: ['web'] };
    const { status, body: service } = await this.t.owner.call(
      'POST',
      `/api/op/services?project=${this.t.project}`,
      body,
    );
    if (status !== 201) throw new Error(JSON.stringify(service));
    return service.id;
  }

  async close(): Promise<void> {
    await this.agent.close();
    await this.folders.destroy();
    await this.t.close();
  }
}

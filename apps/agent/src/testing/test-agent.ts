import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestStreams } from '@flotilla/controller/testing/streams';
import { createSilentLogger, sleep, systemClock } from '@flotilla/kit';
import { type Agent, type AgentOptions, createAgent } from '../agent.ts';
import { type EnrolOptions, enrol } from '../identity/enrol.ts';
import { IdentityFiles } from '../identity/identity-files.ts';
import { FakeHost } from './fake-host.ts';
import { idleNetworkOptions } from './idle-network.ts';

/** The folder of an agent. Tests start and stop agents on it. */
export class TestAgent {
  readonly dir: string;
  readonly files: IdentityFiles;
  host = new FakeHost();
  agent: Agent | undefined;
  readonly printed: string[] = [];
  readonly #t: Pick<TestStreams, 'port'>;

  private constructor(dir: string, t: Pick<TestStreams, 'port'>) {
    this.dir = dir;
    this.#t = t;
    this.files = new IdentityFiles(dir);
  }

  static async create(t: Pick<TestStreams, 'port'>): Promise<TestAgent> {
    return new TestAgent(await mkdtemp(join(tmpdir(), 'fa-')), t);
  }

  static async enrolled(t: TestStreams): Promise<TestAgent> {
    const agent = await TestAgent.create(t);
    const enrolled = await agent.enrol(await t.createToken(await t.createProject()));
    if (!enrolled.ok) throw new Error(enrolled.error);
    return agent;
  }

  get controller() {
    return { host: '127.0.0.1', port: this.#t.port };
  }

  enrol(token: string, overrides: Partial<EnrolOptions> = {}) {
    return enrol(token, {
      controller: this.controller,
      files: this.files,
      facts: async () => this.host.hostFacts(),
      clock: systemClock,
      logger: createSilentLogger(),
      signal: AbortSignal.timeout(20_000),
      print: (text) => this.printed.push(text),
      ...overrides,
    });
  }

  async start(overrides: Partial<AgentOptions> = {}): Promise<Agent> {
    const identity = await this.files.read();
    if (!identity) throw new Error('not enrolled');
    const agent = createAgent({
      controller: this.controller,
      dataDir: this.dir,
      files: this.files,
      host: this.host,
      network: idleNetworkOptions(this.dir),
      clock: systemClock,
      logger: createSilentLogger(),
      backoff: { initialMs: 10, maxMs: 50 },
      ...overrides,
    });
    this.agent = agent;
    await agent.start(identity);
    return agent;
  }

  async clientId(): Promise<string> {
    return (await this.files.read())?.clientId ?? '';
  }

  async close(): Promise<void> {
    await this.agent?.close();
    await rm(this.dir, { recursive: true, force: true });
  }
}

export async function waitFor(what: string, isTrue: () => boolean | Promise<boolean>, ms = 90_000): Promise<void> {
  const end = performance.now() + ms;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error(`not within ${ms} ms: ${what}`);
    await sleep(5);
  }
}

import type { fleet } from '@flotilla/proto';
import type { TestCaller } from '../../../../testing/controller.ts';
import { createTestFleet, type Reaction, type TestAgent, type TestFleet } from '../../../../testing/fleet.ts';

export interface SentCommand {
  readonly type: string;
  readonly sub_type?: string;
  readonly clients?: readonly unknown[];
  readonly command?: Record<string, unknown>;
}

/** A fleet whose agents answer commands as the test defines. One per test file. */
export class TestCommands {
  readonly #agents: TestAgent[] = [];
  #fleet: TestFleet | undefined;

  async open(): Promise<TestFleet> {
    this.#fleet = await createTestFleet();
    return this.#fleet;
  }

  /** Connects a client's agent until the end of the test. */
  readonly connect = async (clientId: string, react?: (command: fleet.Command) => Reaction): Promise<TestAgent> => {
    const agent = await this.#opened.connect(clientId);
    if (react) agent.react = react;
    this.#agents.push(agent);
    return agent;
  };

  readonly send = (
    body: SentCommand,
    { by = this.#opened.owner, query = '' }: { by?: TestCaller; query?: string } = {},
  ) => by.call('POST', `/api/op/clients?project=${this.#opened.project}${query}`, body);

  /** Creates a service and deploys it to the client. */
  readonly deploy = async (clientId: string, more: Record<string, unknown> = {}) => {
    const service = await this.#opened.createService(more);
    const answer = await this.send({ type: 'DEPLOY', clients: on(clientId), command: { name: service.name } });
    return { service, result: answer.body.results[0] };
  };

  async disconnect(): Promise<void> {
    for (const agent of this.#agents.splice(0)) await this.#opened.disconnect(agent);
  }

  async close(): Promise<void> {
    await this.#fleet?.close();
  }

  get #opened(): TestFleet {
    if (!this.#fleet) throw new Error('open the fleet first');
    return this.#fleet;
  }
}

export function on(...ids: string[]) {
  return ids.map((client_id) => ({ client_id }));
}

export function payloadOf(command: fleet.Command | undefined) {
  return JSON.parse(Buffer.from(command?.payloadJson ?? '{}').toString());
}

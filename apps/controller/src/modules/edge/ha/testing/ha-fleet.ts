import type { HaPair } from '@flotilla/contract';
import { createId } from '@flotilla/kit';

import { sql } from 'kysely';
import type { Answer, TestCaller } from '../../../../testing/controller.ts';
import { createTestFleet, type TestAgent, type TestFleet } from '../../../../testing/fleet.ts';

/** A fleet whose clients can join pairs. */
export interface HaFleet extends TestFleet {
  /** A connected appliance. Its addresses for heartbeats are of its own. */
  createAppliance(options?: ApplianceOptions): Promise<Appliance>;
  /** Calls a route of pairs as the owner. */
  ha(method: string, path?: string, body?: unknown, by?: Pick<TestCaller, 'call'>): Promise<Answer>;
  /** Creates a pair of new appliances with priorities 200 and 100. */
  createPair(more?: Record<string, unknown>): Promise<{ pair: HaPair; members: [Appliance, Appliance] }>;
  /** Deploys a new service to the appliance. */
  load(appliance: Appliance, address?: string): Promise<{ id: string; name: string }>;
}

export interface Appliance {
  readonly clientId: string;
  readonly name: string;
  readonly data: string;
  readonly agent: TestAgent;
}

export interface ApplianceOptions {
  readonly project?: string;
  readonly hasAddress?: boolean;
  readonly isAppliance?: boolean;
  readonly connected?: boolean;
}

const BASE = '/api/v3/ha/pairs';

export async function createHaFleet(): Promise<HaFleet> {
  const t = await createTestFleet();
  let hosts = 0;
  const createAppliance = async (options: ApplianceOptions = {}): Promise<Appliance> => {
    hosts += 1;
    const name = `edge-${hosts}`;
    const data = `192.0.2.${hosts}`;
    const clientId = await t.createClient(name, options.project);
    const agent = await t.connect(clientId);
    await agent.settled();
    await describeHost(t, clientId, { data, mgmt: `198.51.100.${hosts}`, ...options });
    if (options.connected === false) await t.disconnect(agent);
    return { clientId, name, data, agent };
  };
  const ha: HaFleet['ha'] = (method, path = '', body, by = t.owner) =>
    by.call(method, `${BASE}${path}${path.includes('?') ? '&' : '?'}project=${t.project}`, body);
  return {
    ...t,
    createAppliance,
    ha,
    async createPair(more = {}) {
      const members: [Appliance, Appliance] = [await createAppliance(), await createAppliance()];
      const body = { name: `pair-${createId().slice(-8)}`, members: rank(members), ...more };
      const answer = await ha('POST', '', body);
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
      return { pair: answer.body, members };
    },
    async load({ clientId, agent }, address) {
      const service = await t.createService();
      const command = { name: service.name };
      const clients = [{ client_id: clientId, ...(address && { downstream_address: address }) }];
      const sent = await t.owner.call('POST', `/api/op/clients?project=${t.project}`, {
        type: 'DEPLOY',
        clients,
        command,
      });
      const [result] = sent.body.results ?? [];
      if (result?.error) throw new Error(JSON.stringify(result));
      await agent.settled();
      return service;
    },
  };
}

/** The members of a new pair, the first with the highest priority. */
export const rank = (members: readonly Pick<Appliance, 'clientId'>[]) =>
  members.map(({ clientId }, i) => ({ client_id: clientId, priority: 200 - 100 * i }));

/** Stores what the host says of itself. */
export async function describeHost(
  t: Pick<TestFleet, 'database'>,
  clientId: string,
  host: { data: string; mgmt?: string; hasAddress?: boolean; isAppliance?: boolean },
): Promise<void> {
  const facts = {
    capabilities: ['proxy', 'shield', 'routing', 'ha'].map((name) => ({
      name,
      available: name !== 'ha' || host.isAppliance !== false,
      detail: '',
    })),
    ...(host.hasAddress !== false && {
      ha: {
        data: { address: host.data, prefix: '192.0.2.0/24' },
        ...(host.mgmt !== undefined && { mgmt: { address: host.mgmt } }),
      },
    }),
  };
  await t.database.db
    .updateTable('clients')
    .set({ facts: sql<string>`facts || ${JSON.stringify(facts)}::jsonb` })
    .where('id', '=', clientId)
    .execute();
}

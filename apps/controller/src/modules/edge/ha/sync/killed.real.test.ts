import type { Closable } from '@flotilla/kit';
import { isFullTier, selectForTier } from '@flotilla/kit/testing';
import { fleet } from '@flotilla/proto';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTestFleet, type TestAgent, type TestFleet } from '../../../../testing/fleet.ts';
import { retryNow } from './index.ts';
import { insertPair, readCommands, readDeployed, readOwed, type TestPair } from './testing/pairs.ts';
import { type Kill, SyncWorkers } from './testing/workers.ts';

const WAIT = { interval: 50 };

let t: TestFleet;
let workers: SyncWorkers;
let pair: TestPair;
let a: string;
let b: string;
let agent: TestAgent;
let round = 0;

/** The controller of the test takes requests and has the streams, but never leads. */
beforeAll(async () => {
  t = await createTestFleet();
  await (t.controller.leadership as unknown as Closable).close();
  workers = new SyncWorkers(t.database);
});
afterAll(async () => {
  await workers?.close();
  await t?.close();
});

beforeEach(async () => {
  round += 1;
  [a, b] = [await t.createClient(`a-${round}`), await t.createClient(`b-${round}`)];
  pair = await insertPair(t.database, { project: t.project, clients: [a, b] });
  await t.connect(a);
  agent = await t.connect(b);
});
afterEach(() => workers.close());

async function deploy(serviceId: string, address: string): Promise<void> {
  const answer = await t.owner.call('POST', `/api/op/clients?project=${t.project}&wait_ms=0`, {
    type: 'DEPLOY',
    clients: [{ client_id: a, addresses: [address] }],
    command: { service_id: serviceId },
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
}

const until = <T>(check: () => Promise<T> | T) => vi.waitFor(check, WAIT);
const countOf = async (name: string) => (await readCommands(t.database, b)).filter((one) => one.name === name).length;

async function untilEqual(serviceId: string): Promise<void> {
  await until(async () => {
    expect(await readOwed(t.database, pair.id)).toEqual([]);
    const by = await readDeployed(t.database, serviceId);
    expect(by.get(b)).toEqual(by.get(a));
    expect(by.get(b)).toBeDefined();
  });
}

describe('a controller that is killed while a member catches up', () => {
  const moments: readonly [string, Kill][] = [
    ['before the first step', { state: 'owed', moment: 'before' }],
    ['after it has written the install, before the commit', { state: 'install', moment: 'inside' }],
    ['after the install is committed, before the streams know', { state: 'install', moment: 'after' }],
    ['when the binary is there', { state: 'install done', moment: 'before' }],
    ['after it has written the deployment, before the commit', { state: 'order', moment: 'inside' }],
    ['after the deployment is committed, before the streams know', { state: 'order', moment: 'after' }],
    ['when the deployment is done, and the work is still noted', { state: 'order done', moment: 'before' }],
    ['after it has deleted the work, before the commit', { state: 'gone', moment: 'inside' }],
    ['after the work is deleted', { state: 'gone', moment: 'after' }],
  ];
  it.each(selectForTier(moments, 4))(
    '%s: the next one ends with equal members, and sends nothing twice',
    async (_, kill) => {
      const service = await t.createService();
      await deploy(service.id, '192.0.2.1');
      const killed = await workers.start(kill);
      expect(await killed.exit).toEqual([null, 'SIGKILL']);
      await workers.start();
      await untilEqual(service.id);
      expect([await countOf('DATAPLANE_VERSION SET_VERSION'), await countOf('DEPLOY')]).toEqual([1, 1]);
    },
  );

  const failures: readonly [string, Kill][] = [
    ['before the failure is counted', { state: 'failed', moment: 'inside' }],
    ['after the failure is counted', { state: 'failed', moment: 'after' }],
  ];
  it.each(selectForTier(failures, 2))('%s: the failure counts once, and the work is repeated', async (_, kill) => {
    let isFirst = true;
    agent.react = ({ type }) => {
      if (type !== 'DEPLOY' || !isFirst) return { outcome: fleet.Outcome.DONE };
      isFirst = false;
      return { outcome: fleet.Outcome.FAILED, errorCode: 'service.failed', errorMessage: 'not now' };
    };
    const service = await t.createService();
    await deploy(service.id, '192.0.2.1');
    const killed = await workers.start(kill);
    expect(await killed.exit).toEqual([null, 'SIGKILL']);
    await workers.start();
    await until(async () => {
      expect(await readOwed(t.database, pair.id)).toMatchObject([{ attempts: 1, last_error: 'not now' }]);
    });
    await t.database.db.transaction().execute((tx) => retryNow(tx, pair.id, new Date()));
    await untilEqual(service.id);
    expect(await countOf('DEPLOY')).toBe(2);
  });
});

describe('of two controllers only the leading one lets members catch up', () => {
  const SERVICES = isFullTier ? 30 : 10;

  async function findLeader<T extends { readonly controllerId: string }>(ones: readonly T[]): Promise<T> {
    return until(async () => {
      const { rows } = await sql<{
        holder: string;
      }>`select holder from leases where name = 'leader' and until > now()`.execute(t.database.db);
      const found = ones.find(({ controllerId }) => controllerId === rows[0]?.holder);
      if (!found) throw new Error('nobody leads');
      return found;
    });
  }

  async function untilSomeAreDone(): Promise<void> {
    await until(async () => {
      const { length } = (await readCommands(t.database, b)).filter(({ name }) => name === 'DEPLOY');
      expect(length).toBeGreaterThan(2);
    });
  }

  it.each(selectForTier(['SIGSTOP', 'SIGKILL'] as const, 2))(
    'and if it gets %s in the middle, the other one continues: every service is deployed once',
    async (signal) => {
      const two = [await workers.start(), await workers.start()];
      const leader = await findLeader(two);
      const services = await Promise.all(Array.from({ length: SERVICES }, () => t.createService()));
      for (const [i, { id }] of services.entries()) await deploy(id, `192.0.2.${i + 1}`);
      await untilSomeAreDone();
      leader.child.kill(signal);
      for (const { id } of services) await untilEqual(id);
      leader.child.kill('SIGCONT');
      const last = await t.createService();
      await deploy(last.id, '192.0.2.200');
      await untilEqual(last.id);
      const deploys = (await readCommands(t.database, b)).filter(({ name }) => name === 'DEPLOY');
      expect(new Set(deploys.map(({ service_id }) => service_id)).size).toBe(SERVICES + 1);
      expect(deploys).toHaveLength(SERVICES + 1);
    },
  );
});

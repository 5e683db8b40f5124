import { DOCUMENT_BODY_BYTES, type RouteContract, SMALL_BODY_BYTES } from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestController } from '../../testing/controller.ts';
import { name, sendTo } from './testing/matrix.ts';

/** The limits of every route: how often a caller may call and how much a request may carry. */
/** Limit for bodies that are held in memory: a trial carries a policy with its files and a request body. */
const BODY_MAX = 3 * DOCUMENT_BODY_BYTES;

let t: TestController;
let limited: TestController;
beforeAll(async () => {
  t = await createTestController();
  limited = await createTestController({}, { rateFactor: 1 });
});
afterAll(async () => {
  await limited.close();
  await t.close();
});

const contracts = () => t.controller.routes.map(({ contract }) => contract);
/** These routes need their own kind of credential, which the owner's access token is not. */
const isCalledByToken = ({ access }: RouteContract) => !['refresh', 'browser_refresh', 'cookie'].includes(access.kind);

describe('every route', () => {
  it('sends its rate limit and what is left of it', async () => {
    const silent: string[] = [];
    const routes = contracts().filter((contract) => isCalledByToken(contract) && contract.id !== 'logout');
    for (const contract of routes) {
      const { headers } = await sendTo(limited, contract, { authorization: `Bearer ${limited.owner.token}` });
      const [policy, left] = [headers['ratelimit-policy'], headers.ratelimit].map(String);
      const isTold = /^"[a-z]+";q=\d+;w=60$/.test(policy ?? '') && /^"[a-z]+";r=\d+;t=\d+$/.test(left ?? '');
      if (contract.rate !== 'probe' && !isTold) silent.push(`${name(contract)}: ${policy} ${left}`);
    }
    expect(routes.length).toBeGreaterThan(150);
    expect(silent).toEqual([]);
  });

  it('refuses a body by its announced length before reading it', async () => {
    const taken: string[] = [];
    for (const contract of contracts().filter((one) => one.method !== 'GET' && isCalledByToken(one))) {
      const response = await t.app.inject({
        method: contract.method,
        url: contract.path.replaceAll(/:\w+/g, () => createId()),
        headers: {
          authorization: `Bearer ${t.owner.token}`,
          'content-type': contract.upload ? 'application/octet-stream' : 'application/json',
          'content-length': String(contract.bodyLimit + 1),
        },
        payload: '{',
      });
      const { code } = response.json();
      if (code !== 'request.too_large') taken.push(`${name(contract)}: ${code}`);
    }
    expect(taken).toEqual([]);
  });

  it('accepts no more than its kind of requests needs', () => {
    const large = contracts().filter(({ bodyLimit }) => bodyLimit > SMALL_BODY_BYTES);
    for (const contract of large)
      expect(contract.upload === true || contract.bodyLimit <= BODY_MAX, name(contract)).toBe(true);
    expect(large.length).toBeLessThan(contracts().length / 4);
  });
});

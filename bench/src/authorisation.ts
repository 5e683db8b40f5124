// Measures what session, role, project and permission checks add to a request that does nothing, and how long an ended
// session is still accepted by another controller: `node bench/src/authorisation.ts [REQUESTS] [SESSIONS]`.
import { openController, type TestCaller } from '@flotilla/controller/testing/controller';
import { createTestFleet, TEST_FLEET_ENV } from '@flotilla/controller/testing/fleet';
import { createGuardedRoutes, GUARDED, OPEN, PERMITTED, PERMITTED_WRITE } from '@flotilla/controller/testing/guard';
import { median, percentile } from './table.ts';

const [requests = 4000, sessions = 50] = process.argv.slice(2).map(Number);

const t = await createTestFleet({ moreRoutes: createGuardedRoutes() });
const query = `?project=${t.project}`;
const member = await t.createMember('editor');

async function time(url: string, caller: TestCaller, method = 'GET'): Promise<number> {
  const began = performance.now();
  const { status } = await caller.call(method, url);
  if (status !== 200) throw new Error(`${url} answered ${status}`);
  return (performance.now() - began) * 1000;
}

/** One client that the member may change, in a project that restricts access. */
async function listProject(): Promise<string> {
  const id = await t.createClient('permitted');
  const permission = {
    subject: { kind: 'user', id: member.userId },
    resource: { kind: 'client', id },
    level: 'change',
  };
  for (const [method, path, body] of [
    ['POST', '/api/v3/setting/permissions', permission],
    ['PUT', '/api/v3/setting/resource-access', { resource_access: 'listed' }],
  ] as const) {
    const { status } = await t.owner.call(method, path + query, body);
    if (status >= 300) throw new Error(`${path} answered ${status}`);
  }
  return id;
}

interface Ask {
  readonly url: string;
  readonly method?: string;
}

/** Interleaved with changing order, so that other load on the machine affects all variants. */
async function compare(guarded: Readonly<Record<string, Ask>>): Promise<void> {
  const open: number[] = [];
  const all = [
    { url: OPEN + query, took: open },
    ...Object.values(guarded).map((ask) => ({ ...ask, took: [] as number[] })),
  ];
  for (let i = 0; i < requests; i += 1) {
    for (let k = 0; k < all.length; k += 1) {
      const one: Ask & { took: number[] } = all[(i + k) % all.length] ?? { url: '', took: [] };
      one.took.push(await time(one.url, member, one.method));
    }
  }
  // Excludes the first ones, which warm up the code.
  const late = (took: readonly number[]) => took.slice(requests / 4);
  const base = late(open);
  for (const [i, name] of Object.keys(guarded).entries()) {
    const took = late(all[i + 1]?.took ?? []);
    const [p50, p90] = [0.5, 0.9].map((p) => Math.round(percentile(took, p) - percentile(base, p)));
    console.log(`${name}: adds ${p50} µs at p50, ${p90} µs at p90, to ${Math.round(median(base))} µs`);
  }
}

async function measureGuard(): Promise<void> {
  const id = await listProject();
  await compare({
    'session, role and project': { url: GUARDED + query },
    'and the permission of a read': { url: `${PERMITTED}/${id}${query}` },
    'and the permission of a write': { url: `${PERMITTED_WRITE}/${id}${query}`, method: 'DELETE' },
  });
}

async function measureRevocation(): Promise<void> {
  const far = await openController(t.database, TEST_FLEET_ENV);
  const ask = async (token: string) =>
    (await far.controller.app.inject({ url: '/api/v3/profile', headers: { authorization: `Bearer ${token}` } }))
      .statusCode;
  const took: number[] = [];
  for (let i = 0; i < sessions; i += 1) {
    const body = { username: member.username, password: member.password };
    const { access_token: token } = (await t.app.inject({ method: 'POST', url: '/auth/login', body })).json();
    if ((await ask(token)) !== 200) throw new Error('the other controller does not know the session');
    await t.app.inject({ method: 'POST', url: '/logout', headers: { authorization: `Bearer ${token}` } });
    const ended = performance.now();
    while ((await ask(token)) !== 401);
    took.push(performance.now() - ended);
  }
  console.log(
    `refused by another controller after ${median(took).toFixed(0)} ms (p50), ${Math.max(...took).toFixed(0)} ms (longest of ${sessions})`,
  );
  await far.close();
}

await measureGuard();
await measureRevocation();
await t.close();

// What session, role and project add to a request that does nothing, and how long an ended session goes on being let in at
// another controller: `node bench/src/authorisation.ts [REQUESTS] [SESSIONS]`.
import { createTestController, openController, type TestCaller } from '@flotilla/controller/test-controller';
import { createGuardedPair, GUARDED, OPEN } from '@flotilla/controller/test-guard';
import { median, percentile } from './table.ts';

const [requests = 4000, sessions = 50] = process.argv.slice(2).map(Number);
const env = { SVC_MASTER_KEY: '2a'.repeat(32) };

const t = await createTestController(env, { moreRoutes: createGuardedPair() });
const query = `?project=${t.project}`;
const member = await t.createMember('editor');

async function time(url: string, caller: TestCaller): Promise<number> {
  const began = performance.now();
  const { status } = await caller.call('GET', url);
  if (status !== 200) throw new Error(`${url} answered ${status}`);
  return (performance.now() - began) * 1000;
}

/** Interleaved, so that whatever else the machine does falls on both. */
async function measureGuard(): Promise<void> {
  const [guarded, open]: [number[], number[]] = [[], []];
  for (let i = 0; i < requests; i += 1) {
    guarded.push(await time(GUARDED + query, member));
    open.push(await time(OPEN + query, member));
  }
  // The first ones are compiled while they run.
  const [with_, without] = [guarded, open].map((all) => all.slice(requests / 4));
  const differences = [0.5, 0.9].map((p) => Math.round(percentile(with_ ?? [], p) - percentile(without ?? [], p)));
  console.log(
    `the guard adds ${differences[0]} µs at p50, ${differences[1]} µs at p90, to ${Math.round(median(without ?? []))} µs`,
  );
}

async function measureRevocation(): Promise<void> {
  const far = await openController(t.database, env);
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

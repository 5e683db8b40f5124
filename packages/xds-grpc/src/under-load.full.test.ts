import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '@flotilla/kit/testing';
import { startLoad, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { expect, it } from 'vitest';
import { startBackend, startTlsBackend } from './testing/backends.ts';
import { createEnvoyFixture, get } from './testing/envoy-fixture.ts';

const TEST_LIMIT_MS = 150_000;

/** Up to so long, seeded, so that a failure can be seen again. */
function createDelays(longestMs: number): () => number {
  let seed = 7;
  return () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return (seed / 2_147_483_648) * longestMs;
  };
}

const { newest, oldest } = TEST_ENVOY_VERSIONS;

it.for([
  [newest, 2_000],
  [oldest, 2_000],
] as const)(
  'no request fails while everything changes and Envoy %s answers up to %i ms late',
  { timeout: TEST_LIMIT_MS },
  async ([version, lateMs], { onTestFinished }) => {
    const fixture = await createEnvoyFixture({ version, delayMs: createDelays(lateMs) });
    onTestFinished(fixture.close);
    await fixture.start();
    const { parts, setTarget, untilLive, untilRetired } = fixture;
    const [plain, secure] = [await startBackend('plain'), await startTlsBackend('secure')];
    onTestFinished(plain.close);
    onTestFinished(secure.close);
    const port = await findFreePort();
    const listener = parts.listener('http', port, 'main', { filter: 'mark' });
    const old = [parts.edsCluster('old'), parts.endpoints('old', plain.port)];
    const route = (cluster: string, edit: number) =>
      parts.route('main', cluster, { response_headers_to_add: [{ header: { key: 'x-edit', value: `${edit}` } }] });
    setTarget(...old, route('old', 0), listener, parts.headerFilter('mark', 'first'));
    await untilLive();

    const load = startLoad({ port, path: '/', perSecond: 900 });
    const fresh = startLoad({ port, path: '/', perSecond: 100, newConnections: true });
    for (let edit = 1; edit <= 20; edit += 1) {
      setTarget(...old, route('old', edit), listener, parts.headerFilter('mark', 'first'));
      await delay(100);
    }
    await untilLive();
    const moved = [
      parts.edsCluster('new', { secret: 'ca' }),
      parts.endpoints('new', secure.port),
      parts.trustedCa('ca', secure.certificate),
      route('new', 21),
    ];
    setTarget(...moved, listener, parts.headerFilter('mark', 'first'));
    await untilRetired();
    setTarget(...moved, listener, parts.headerFilter('mark', 'second'));
    await untilLive();
    expect(await get(port)).toEqual({ status: 200, body: 'secure', filter: 'second' });

    for (const { sent, statuses, failures } of [await load.stop(), await fresh.stop()]) {
      expect(failures).toEqual([]);
      expect([...statuses]).toEqual([[200, sent]]);
    }
    expect(await fixture.admin('/stats?filter=update_rejected&usedonly')).not.toMatch(/update_rejected: [1-9]/);
  },
);

it('refuses no connection while listeners are replaced and their old connections drain', async ({ onTestFinished }) => {
  const fixture = await createEnvoyFixture({ version: TEST_ENVOY_VERSIONS.newest });
  onTestFinished(fixture.close);
  await fixture.start();
  const { parts, setTarget, untilLive, untilRetired, trace } = fixture;
  const [one, two] = [await startBackend('one'), await startBackend('two')];
  onTestFinished(one.close);
  onTestFinished(two.close);
  const port = await findFreePort();
  setTarget(parts.staticCluster('a', one.port), parts.route('ra', 'a'), parts.listener('http', port, 'ra'));
  await untilLive();
  const load = startLoad({ port, path: '/', perSecond: 100, newConnections: true });
  setTarget(parts.staticCluster('b', two.port), parts.route('rb', 'b'), parts.listener('http', port, 'rb'));
  await untilLive();
  expect(trace).not.toContain('sent Cluster -a');
  await untilRetired();
  expect(trace).toContain('sent Cluster -a');
  expect((await get(port)).body).toBe('two');
  const { sent, statuses, failures } = await load.stop();
  expect(failures).toEqual([]);
  expect([...statuses]).toEqual([[200, sent]]);
});

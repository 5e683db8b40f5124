import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EnvoyJson, shieldFilterConfig } from '@flotilla/policy';
import { ensureTestEnvoy, TIER_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { FilterProcess } from '../testing/filter-process.ts';
import { type ListenerChanges, RecordingEnvoy } from '../testing/recording-envoy.ts';
import { NOT_ASKED } from './envoy-wiring.ts';

const POLICY = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: bodies }
spec:
  defaults: { inspect_request_body: true, max_request_body_bytes: 500000, timeout: 300ms }
  domains:
    - hosts: ["*"]
      policy: { engines: { graphql: { max_depth: 3 } } }
`;
const ROUTER = 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router';

/** A listener whose ext_proc filter differs from the generated one. */
function wiredWith(change: EnvoyJson): ListenerChanges {
  const filter = shieldFilterConfig();
  const typed_config = { ...(filter.typed_config as EnvoyJson), ...change };
  return {
    manager: {
      http_filters: [
        { ...filter, typed_config },
        { name: 'router', typed_config: { '@type': ROUTER } },
      ],
    },
  };
}

const WRONG: Readonly<Record<string, ListenerChanges>> = {
  generated: {},
  open: wiredWith({ failure_mode_allow: true }),
  deaf: wiredWith({ allow_mode_override: false }),
  onlooker: wiredWith({ observability_mode: true }),
  hasty: wiredWith({ message_timeout: '0.1s' }),
  small: { listener: { per_connection_buffer_limit_bytes: 500_000 } },
};
const SAID = [
  'listener open: failure_mode_allow',
  'listener deaf: without allow_mode_override',
  'listener onlooker: observability_mode',
  'listener hasty: message_timeout of 100 ms',
  'listener small: per_connection_buffer_limit_bytes of 500000',
];

// Concurrently, because each waits for the next check of the filter.
describe.concurrent.each(TIER_ENVOY_VERSIONS)('with the configuration of Envoy %s,', (version) => {
  let folder: string;
  let filter: FilterProcess;
  const shieldSocket = () => join(folder, 's.sock');

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'envoy-watch-'));
    const policy = join(folder, 'policy.yaml');
    await writeFile(policy, POLICY);
    const argv = [
      '--policy',
      policy,
      '--listen',
      `unix:${shieldSocket()}`,
      '--envoy-admin',
      `unix:${join(folder, 'e.sock')}`,
    ];
    filter = new FilterProcess(argv, join(folder, 'a.sock'));
    await filter.start();
  });
  afterAll(async () => {
    await filter?.end();
    await rm(folder, { recursive: true, force: true });
  });

  const readiness = () => filter.admin('/readyz');
  const state = async () => JSON.parse((await filter.admin('/configz')).text).self_test;

  async function behind(listeners: Readonly<Record<string, ListenerChanges>>, check: () => Promise<void>) {
    const envoy = new RecordingEnvoy({ folder, shieldSocket: shieldSocket(), listeners });
    try {
      await envoy.start((await ensureTestEnvoy(version)).path);
      await check();
    } finally {
      await envoy.close();
      await rm(join(folder, 'e.sock'), { force: true });
    }
  }

  it('the self-test is ready, and reports what it does not know, while Envoy is away', {
    concurrent: false,
  }, async () => {
    await vi.waitFor(async () => expect((await readiness()).text).toContain('cannot be read'));
    expect((await readiness()).status).toBe(200);
    expect(await state()).toMatchObject({ state: 'unknown' });
  });

  /** No traffic was sent: the result comes from Envoy's configuration alone. */
  const becomes = (reading: { state: string; problems: unknown[] }) =>
    vi.waitFor(async () => expect(await state()).toEqual(reading), { interval: 25 });

  it('the self-test fails for each misconfigured listener, and recovers when all are as generated', {
    concurrent: false,
  }, async () => {
    await behind(WRONG, async () => {
      await becomes({ state: 'failing', problems: SAID.map((text) => expect.stringContaining(text)) });
      const { status, text } = await readiness();
      expect([status, text.split('\n').length]).toEqual([503, SAID.length + 2]);
    });
    await behind({ web: {} }, async () => {
      await becomes({ state: 'ok', problems: [] });
      expect(await readiness()).toEqual({ status: 200, text: 'ready\n' });
    });
    await behind({ web: { isOpen: true } }, () => becomes({ state: 'failing', problems: [NOT_ASKED] }));
  });
});

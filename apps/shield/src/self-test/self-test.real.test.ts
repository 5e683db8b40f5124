import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:http2';
import { type EnvoyJson, shieldFilterConfig } from '@flotilla/policy';
import { TEST_ENVOY_VERSIONS, TIER_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { FilterProcess } from '../testing/filter-process.ts';
import { type FilteredEnvoy, startFilteredEnvoy } from '../testing/filtered-envoy.ts';
import type { RecordingEnvoy } from '../testing/recording-envoy.ts';
import { CUT_BODY, NO_BODY, NO_BODY_PERHAPS } from './self-test.ts';

const POLICY = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: bodies }
spec:
  defaults: { inspect_request_body: true, max_request_body_bytes: 500000 }
  domains:
    - hosts: ["*"]
      policy: { engines: { graphql: { max_depth: 3 } } }
`;
const TYPE = 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router';

/** The filter's configuration with a change, followed by the router. */
function filtersWith(change: EnvoyJson): EnvoyJson {
  const filter = shieldFilterConfig();
  const typed_config = { ...(filter.typed_config as EnvoyJson), ...change };
  return {
    http_filters: [
      { ...filter, typed_config },
      { name: 'router', typed_config: { '@type': TYPE } },
    ],
  };
}

const BUFFER_BYTES = 16 * 1024;
const LISTENERS = {
  generated: {},
  no_override: { manager: filtersWith({ allow_mode_override: false }) },
  wrong_override: {
    manager: filtersWith({ allowed_override_modes: [{ request_header_mode: 'SEND', request_body_mode: 'STREAMED' }] }),
  },
  small_buffer: { listener: { per_connection_buffer_limit_bytes: BUFFER_BYTES } },
} as const;

describe.each(TIER_ENVOY_VERSIONS)('behind Envoy %s,', (version) => {
  let filtered: FilteredEnvoy;
  let filter: FilterProcess;
  let envoy: RecordingEnvoy;

  beforeAll(async () => {
    filtered = await startFilteredEnvoy({ version, policy: POLICY, listeners: LISTENERS });
    ({ envoy, filter } = filtered);
  });

  afterAll(async () => {
    await filtered?.close();
  });

  /** The status of a GraphQL request; 0 if the client aborted it inside its body. */
  function ask(listener: keyof typeof LISTENERS, { size = 20, breaksOff = false } = {}): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<number>();
    const body = JSON.stringify({ query: '{ a }', padding: 'x'.repeat(size) });
    const headers = { host: 'a.example', 'content-type': 'application/json', 'content-length': body.length };
    const options = {
      host: '127.0.0.1',
      port: envoy.portOf(listener),
      method: 'POST',
      path: '/',
      headers,
      agent: false,
    };
    const sent = request(options, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', () => resolve(0));
    if (!breaksOff) sent.end(body);
    else sent.write(body.slice(0, 5), () => setImmediate(() => sent.destroy()));
    return promise;
  }

  const times = async (count: number, work: () => Promise<unknown>) => {
    for (let i = 0; i < count; i++) await work();
  };
  const readiness = () => filter.admin('/readyz');
  const becomes = (expected: { status: number; text: string }) =>
    vi.waitFor(async () => expect(await readiness()).toEqual(expected), { interval: 25 });
  const failing = (problem: string) => ({ status: 503, text: `self-test failing\n${problem}\n` });
  const READY = { status: 200, text: 'ready\n' };

  it('the self-test is ok while bodies arrive, even if clients abort a few', async () => {
    await ask('generated');
    await times(8, () => ask('generated', { breaksOff: true }));
    expect(await readiness()).toEqual(READY);
    const { self_test: reading } = JSON.parse((await filter.admin('/configz')).text);
    expect(reading).toEqual({ state: 'ok', problems: [] });
  });

  it.each(['no_override', 'wrong_override'] as const)(
    'the self-test notices that Envoy forwards what the filter never saw (%s), and that it was repaired',
    async (listener) => {
      await times(210, () => ask(listener));
      // 1.36 (and 1.37) end such an exchange like one whose client disconnected, which is no reason to leave service.
      const isCertain = version === TEST_ENVOY_VERSIONS.newest;
      await becomes(isCertain ? failing(NO_BODY) : { status: 200, text: `ready\n${NO_BODY_PERHAPS}\n` });
      await ask('generated');
      await becomes(READY);
    },
  );

  it('the self-test stays ready however many requests clients abort, a thousand in a row', async () => {
    await ask('generated');
    for (let round = 0; round < 50; round++)
      await Promise.all(Array.from({ length: 20 }, () => ask('generated', { breaksOff: true })));
    await vi.waitFor(async () => expect(await filter.counter('bodies_missing_total', 'ended')).toBeGreaterThan(500));
    const session = connect(`http://127.0.0.1:${envoy.portOf('generated')}`);
    session.on('error', () => undefined);
    for (let n = 0; n < 200; n++) {
      const sent = session.request({
        ':method': 'POST',
        ':path': '/',
        ':authority': 'a.example',
        'content-type': 'application/json',
        // Node may end the stream before it resets it; with this header it is then not the whole body.
        'content-length': '100',
      });
      sent.on('error', () => undefined);
      sent.write('{', () => sent.close(8));
      await once(sent, 'close');
    }
    session.destroy();
    await becomes({ status: 200, text: `ready\n${NO_BODY_PERHAPS}\n` });
    await becomes({ status: 200, text: `ready\n${NO_BODY_PERHAPS}\n` });
    expect(JSON.parse((await filter.admin('/configz')).text).self_test.state).toBe('unknown');
    await ask('generated');
    await becomes(READY);
  });

  it('the self-test notices a buffer below the limit', async () => {
    await times(3, () => ask('small_buffer', { size: 10 * BUFFER_BYTES }));
    await becomes(failing(CUT_BODY));
    await ask('generated');
    await becomes(READY);
  });
});

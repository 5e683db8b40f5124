import { loadPolicyFiles } from '@flotilla/policy';
import { describe, expect, it } from 'vitest';
import { readLogText } from './read-log.ts';
import { replayRequests } from './replay.ts';

const policy = (routes: readonly object[], engines: object = {}) => {
  const document = {
    apiVersion: 'flotilla.dev/v1',
    kind: 'SecurityPolicy',
    metadata: { name: 'shop' },
    spec: { domains: [{ hosts: ['shop.example'], policy: { engines }, routes }] },
  };
  const loaded = loadPolicyFiles([{ path: 'shop.json', content: JSON.stringify(document) }]);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  return loaded.value;
};
const API_KEY = { api_key: { keys: [{ sha256: '1'.repeat(64) }] } };
const event = (more: object = {}) =>
  JSON.stringify({
    traffic_event: {
      time_ms: 1_790_000_000_000,
      method: 'GET',
      host: 'shop.example',
      path: '/orders/{id}',
      status: 200,
      action: '',
      anonymous: true,
      weight: 1,
      client: 'consumer c1',
      source_ip: 'fd00::1:2:3:4',
      ...more,
    },
  });
const replay = (candidate: ReturnType<typeof policy>, ...events: string[]) =>
  replayRequests(undefined, candidate, readLogText('traffic', events.join('\n'), 'jsonl'));

describe('an event of recorded traffic', () => {
  const keyed = policy([{ match: { path_template: '/orders/{id}' }, policy: { engines: API_KEY } }]);

  it('without credentials would be blocked where a key is required, with its weight and its client', () => {
    const { totals, by_client } = replay(keyed, event({ weight: 10 }), event({ client: 'source s1' }));
    expect(totals).toMatchObject({ requests: 11, allow_to_block: 11, undetermined: 0 });
    expect(by_client.groups).toMatchObject([
      { name: 'consumer c1', requests: 10, allow_to_block: 10 },
      { name: 'source s1', requests: 1, allow_to_block: 1 },
    ]);
  });

  it('with credentials is undetermined and never counted as allowed for sure', () => {
    const { totals, missing } = replay(keyed, event({ anonymous: false, weight: 3 }));
    expect(totals).toMatchObject({ requests: 3, allow_to_block: 0, undetermined: 3 });
    expect(missing).toEqual([{ what: 'header x-api-key', engine: 'api_key', requests: 3 }]);
  });

  it('without credentials is undetermined if the key is in a header that the agent does not know', () => {
    const own = policy([], { api_key: { ...API_KEY.api_key, name: 'X-Shop-Key' } });
    expect(replay(own, event()).totals).toMatchObject({ allow_to_block: 0, undetermined: 1 });
  });

  it('without credentials is undetermined if the key may be in the query', () => {
    const query = policy([], { api_key: { ...API_KEY.api_key, source: 'query', name: 'key' } });
    expect(replay(query, event()).totals).toMatchObject({ allow_to_block: 0, undetermined: 1 });
  });

  it('counts against the limit of its own source', () => {
    const limited = policy([], { rate_limit: { requests_per_second: 0.1, burst: 2 } });
    const events = [1, 1, 1, 2].map((source) =>
      event({ source_ip: `fd00::1:2:3:${source}`, client: `source ${source}` }),
    );
    const { totals, by_client } = replay(limited, ...events);
    expect(totals.allow_to_block).toBe(1);
    expect(by_client.groups[0]).toMatchObject({ name: 'source 1', allow_to_block: 1 });
  });

  it('has a known method: what only overrides it in a query is not undetermined', () => {
    const listed = policy([], { methods: { allow: ['GET', 'POST'] } });
    const { totals, by_reason } = replay(
      listed,
      event(),
      event({ method: 'POST' }),
      event({ method: 'DELETE', weight: 3 }),
    );
    expect(totals).toMatchObject({ requests: 5, allow_to_block: 3, undetermined: 0 });
    expect(by_reason.groups).toMatchObject([{ name: 'method.not_allowed', allow_to_block: 3 }]);
  });

  it('without a source is undetermined where the limit is exceeded', () => {
    const limited = policy([], { rate_limit: { requests_per_second: 0.1, burst: 1 } });
    const { totals } = replay(limited, event({ source_ip: undefined }), event({ source_ip: undefined }));
    expect(totals).toMatchObject({ allow_to_block: 0, undetermined: 1 });
  });

  it('is undetermined if its values choose between two routes', () => {
    const two = policy([
      { match: { path_template: '/orders/{id}' }, policy: {} },
      { match: { path_template: '/orders/all' }, policy: { engines: API_KEY } },
    ]);
    expect(replay(two, event()).missing).toEqual([{ what: 'the values of the path', engine: 'routes', requests: 1 }]);
    const prefix = policy([{ match: { path_prefix: '/orders/1' }, policy: { engines: API_KEY } }]);
    expect(replay(prefix, event()).totals.undetermined).toBe(1);
    const whole = policy([{ match: { path_prefix: '/orders/' }, policy: { engines: API_KEY } }]);
    expect(replay(whole, event()).totals).toMatchObject({ undetermined: 0, allow_to_block: 1 });
  });

  it('with a body is undetermined where bodies are inspected', () => {
    const { totals } = replay(keyed, event({ method: 'POST', request_bytes: 12 }));
    expect(totals.allow_to_block).toBe(1);
  });

  it('that was blocked counts as blocked, whatever its status is', () => {
    const open = policy([]);
    expect(replay(open, event({ action: 'block', status: 403 })).totals).toMatchObject({ block_to_allow: 1 });
    expect(replay(open, event({ status: 403 })).totals).toMatchObject({ flips: 0 });
  });
});

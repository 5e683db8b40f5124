import { beforeAll, describe, expect, it } from 'vitest';
import type { SchemaSource } from '../../forms/schema-source.ts';
import { cursorAt } from '../document/cursor-at.ts';
import type { Language } from '../document/tree.ts';
import { createEnvoySource } from '../testing/envoy-source.ts';
import { marked } from '../testing/marked.ts';
import { writeMember, writeValue } from './skeleton.ts';
import { suggestAt } from './suggest.ts';

const CLUSTER = 'envoy.config.cluster.v3.Cluster';
const LISTENER = 'envoy.config.listener.v3.Listener';
const ROUTES = 'envoy.config.route.v3.RouteConfiguration';
const HCM = 'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const ROUTER = 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router';
const STORED = [
  { collection: 'clusters', name: 'backend', ref: 'backend', type: CLUSTER },
  { collection: 'filters', name: 'cors', ref: 'filters/cors', type: 'envoy.extensions.filters.http.cors.v3.Cors' },
] as const;

describe.each(['json', 'yaml'] as const)('suggestions in %s', (language: Language) => {
  let source: SchemaSource;
  beforeAll(async () => {
    source = await createEnvoySource(STORED);
  });

  const suggest = async (type: string, json: string, yaml: string) => {
    const { text, offset } = marked(language === 'json' ? json : yaml);
    const cursor = cursorAt(text, offset, language);
    if (!cursor) throw new Error('the text has no cursor');
    const found = await suggestAt(cursor, { source, type, language });
    return found.toSorted((a, b) => a.rank - b.rank);
  };
  const labels = async (type: string, json: string, yaml: string) =>
    (await suggest(type, json, yaml)).map(({ label }) => label);
  const written = async (label: string, ...where: [string, string, string]) => {
    const insert = (await suggest(...where)).find((each) => each.label === label)?.insert;
    return (
      insert && (insert.kind === 'member' ? writeMember(insert.member, language) : writeValue(insert.value, language))
    );
  };

  it('are unset fields, the most used first and deprecated ones last', async () => {
    const found = await suggest(CLUSTER, '{"name": "x", |}', 'name: x\n|');
    const names = found.map(({ label }) => label);
    expect(names).not.toContain('name');
    expect(names.indexOf('connect_timeout')).toBeLessThan(10);
    const firstDeprecated = found.findIndex(({ deprecated }) => deprecated);
    expect(firstDeprecated).toBeGreaterThan(0);
    expect(found.slice(firstDeprecated).every(({ deprecated }) => deprecated)).toBe(true);
    expect(found.some(({ field }) => field?.disallowed)).toBe(false);
  });

  it('omit fields that an existing one excludes', async () => {
    const names = await labels(CLUSTER, '{"type": "STATIC", |}', 'type: STATIC\n|');
    expect(names).not.toContain('cluster_type');
    expect(await labels(CLUSTER, '{|}', '|')).toContain('cluster_type');
  });

  it('insert the opening of their value', async () => {
    const at = [CLUSTER, '{|}', '|'] as [string, string, string];
    expect(await written('connect_timeout', ...at)).toBe(
      language === 'json' ? '"connect_timeout": "#{}"' : 'connect_timeout: #{}',
    );
    expect(await written('load_assignment', ...at)).toBe(
      language === 'json' ? '"load_assignment": {\n\t#{}\n}' : 'load_assignment:\n\t#{}',
    );
    expect(await written('health_checks', ...at)).toBe(
      language === 'json' ? '"health_checks": [\n\t{\n\t\t#{}\n\t}\n]' : 'health_checks:\n\t- #{}',
    );
    expect(await written('respect_dns_ttl', ...at)).toBe(
      language === 'json' ? '"respect_dns_ttl": #{}' : 'respect_dns_ttl: #{}',
    );
  });

  it('are the values of an enum, and true and false', async () => {
    expect(await labels(CLUSTER, '{"lb_policy": |}', 'lb_policy: |')).toContain('LEAST_REQUEST');
    expect(await labels(CLUSTER, '{"lb_policy": "LE|"}', 'lb_policy: LE|')).toContain('LEAST_REQUEST');
    expect(await labels(CLUSTER, '{"respect_dns_ttl": |}', 'respect_dns_ttl: |')).toEqual(['true', 'false']);
  });

  it('are found within lists, and within an Any by its @type', async () => {
    const json = `{"filter_chains": [{"filters": [{"name": "x", "typed_config": {"@type": "${HCM}", "http_filters": [], |}}]}]}`;
    const yaml = `filter_chains:\n  - filters:\n      - name: x\n        typed_config:\n          "@type": ${HCM}\n          http_filters: []\n          |`;
    const names = await labels(LISTENER, json, yaml);
    expect(names).toContain('stat_prefix');
    expect(names).not.toContain('http_filters');
  });

  it('are the extensions that fit, with name and @type, and stored documents', async () => {
    const json = `{"filter_chains": [{"filters": [{"typed_config": {"@type": "${HCM}", "http_filters": [|]}}]}]}`;
    const yaml = `filter_chains:\n  - filters:\n      - typed_config:\n          "@type": ${HCM}\n          http_filters:\n            - |`;
    const text = await written('envoy.filters.http.router', LISTENER, json, yaml);
    expect(text).toContain('envoy.filters.http.router');
    expect(text).toContain(ROUTER);
    expect(text).toContain(language === 'json' ? '"typed_config": {' : 'typed_config:\n');
    expect(await labels(LISTENER, json, yaml)).toContain('$ref filters/cors');
    expect(await labels(LISTENER, json, yaml)).not.toContain('envoy.filters.network.tcp_proxy');
  });

  it('are the type URLs that fit the slot', async () => {
    const json = `{"filter_chains": [{"filters": [{"typed_config": {"@type": "|"}}]}]}`;
    const yaml = `filter_chains:\n  - filters:\n      - typed_config:\n          "@type": |`;
    const urls = await labels(LISTENER, json, yaml);
    expect(urls).toContain(HCM);
    expect(urls).not.toContain(ROUTER);
  });

  it('respect the slot of the surrounding message', async () => {
    const json =
      '{"load_balancing_policy": {"policies": [{"typed_extension_config": {"typed_config": {"@type": "|"}}}]}}';
    const yaml =
      'load_balancing_policy:\n  policies:\n    - typed_extension_config:\n        typed_config:\n          "@type": |';
    const urls = await labels(CLUSTER, json, yaml);
    expect(urls.some((url) => url.includes('.load_balancing_policies.'))).toBe(true);
    expect(urls).not.toContain(ROUTER);
  });

  it('are the stored names if a field refers to a document', async () => {
    const json = '{"virtual_hosts": [{"routes": [{"route": {"cluster": "|"}}]}]}';
    expect(await labels(ROUTES, json, 'virtual_hosts:\n  - routes:\n      - route:\n          cluster: |')).toEqual([
      'backend',
    ]);
  });

  it('are the keys of protocol options with their @type', async () => {
    const text = await written(
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
      CLUSTER,
      '{"typed_extension_protocol_options": {|}}',
      'typed_extension_protocol_options:\n  |',
    );
    expect(text).toContain('type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions');
  });

  it('are empty inside a free form', async () => {
    expect(
      await labels(
        CLUSTER,
        '{"metadata": {"filter_metadata": {"x": {|}}}}',
        'metadata:\n  filter_metadata:\n    x:\n      |',
      ),
    ).toEqual([]);
  });

  it('are the fields of an item at the start of a list', async () => {
    const names = await labels(CLUSTER, '{"health_checks": [{|}]}', 'health_checks:\n  - |');
    expect(names).toContain('http_health_check');
  });
});

describe('a suggestion at the start of a list in YAML', () => {
  it('begins with a dash', async () => {
    const source = await createEnvoySource();
    const { text, offset } = marked('health_checks:\n  |');
    const cursor = cursorAt(text, offset, 'yaml');
    const found = cursor ? await suggestAt(cursor, { source, type: CLUSTER, language: 'yaml' }) : [];
    const insert = found.find(({ label }) => label === 'timeout')?.insert;
    expect(insert?.kind === 'value' && writeValue(insert.value, 'yaml')).toBe('- timeout: #{}');
  });
});

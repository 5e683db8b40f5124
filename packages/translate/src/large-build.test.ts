import { type EnvoyApi, loadEnvoyApi } from '@flotilla/envoy-api';
import { loadPolicyFiles } from '@flotilla/policy';
import { beforeAll, describe, expect, it } from 'vitest';
import { type DocumentKey, parseDocumentKey } from './documents/collections.ts';
import { answerBuild, type BuildProblem, LargeBuild } from './large-build.ts';
import { TEST_NODE, TestSource } from './testing.ts';
import { Translator } from './translator.ts';
import type { NodeInput, SourceDocument, Translation } from './types.ts';

let api: EnvoyApi;
let oldApi: EnvoyApi;
beforeAll(async () => {
  api = await loadEnvoyApi({ version: '1.39.3' });
  oldApi = await loadEnvoyApi({ version: '1.36.4' });
});

const CHARS_MAX = 100_000;
const HTTP = 'envoy.extensions.filters.http';

function listener(name: string, more: object = {}) {
  const manager = {
    '@type': 'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
    stat_prefix: 'http',
    rds: { route_config_name: 'main', config_source: { ads: {} } },
    http_filters: [{ $ref: 'filters/cors' }, { $ref: 'filters/router' }],
    access_log: [{ $ref: 'extensions/log' }],
    ...more,
  };
  return {
    name,
    address: { socket_address: { address: '@client', port_value: 8080 } },
    filter_chains: [{ filters: [{ name: 'hcm', typed_config: manager }] }],
  };
}

function createSource(): TestSource {
  const respond = { match: { prefix: '/' }, route: { cluster: 'api' } };
  return new TestSource({
    bootstrap: { main: { static_resources: { clusters: [{ name: 'static', type: 'STATIC' }] } } },
    listeners: { http: listener('http') },
    routes: {
      main: {
        name: 'main',
        virtual_hosts: [{ name: 'all', domains: ['all.example.com'], routes: [respond, respond] }],
      },
    },
    virtual_hosts: { 'main/www': { name: 'www', domains: ['www.example.com'], routes: [respond] } },
    clusters: {
      api: {
        name: 'api',
        type: 'EDS',
        eds_cluster_config: { eds_config: { ads: {} } },
        transport_socket: { $ref: 'extensions/tls' },
      },
    },
    endpoints: { api: { cluster_name: 'api' } },
    secrets: { ca: { name: 'ca', validation_context: { trusted_ca: { filename: 'files/ca.pem' } } } },
    filters: { cors: [`${HTTP}.cors.v3.Cors`, {}], router: [`${HTTP}.router.v3.Router`, {}] },
    extensions: {
      log: ['envoy.extensions.access_loggers.file.v3.FileAccessLog', { path: 'files/access.log' }],
      tls: [
        'envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
        { common_tls_context: { validation_context_sds_secret_config: { name: 'ca', sds_config: { ads: {} } } } },
      ],
    },
  });
}

const withShield = (): NodeInput => {
  const engines = { rate_limit: { requests_per_second: 1 } };
  const policy = {
    apiVersion: 'flotilla.dev/v1',
    kind: 'SecurityPolicy',
    metadata: { name: 'p' },
    spec: { domains: [{ hosts: ['elsewhere.example.com'], policy: { engines }, routes: [] }] },
  };
  const loaded = loadPolicyFiles([{ path: 'p.yaml', content: JSON.stringify(policy) }]);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  const policies = { digest: loaded.value.digest, domains: loaded.value.domains };
  return { ...TEST_NODE, shield: { socket: '/run/shield.sock', threads: 2, xffTrustedHops: 1, policies } };
};

/** Builds everything elsewhere: questions and answers are serialized as between processes. */
function translateElsewhere(
  translator: Translator,
  source: TestSource,
  {
    node = TEST_NODE,
    of = api,
    onBuild = () => undefined,
    charsMax = CHARS_MAX,
  }: {
    readonly node?: NodeInput;
    readonly of?: EnvoyApi;
    /** The failure of the build, if any. */
    readonly onBuild?: (document: DocumentKey) => BuildProblem['rule'] | undefined;
    readonly charsMax?: number;
  } = {},
): Translation {
  const find = (key: DocumentKey) => {
    const { collection, name } = parseDocumentKey(key) ?? { collection: 'clusters' as const, name: '' };
    return source.get(collection, name);
  };
  for (;;) {
    try {
      return translator.translate(source, node);
    } catch (error) {
      if (!(error instanceof LargeBuild)) throw error;
      const message = 'it is too large; divide it';
      const keys = new Set(error.keys);
      for (;;) {
        const documents = new Map([...keys].map((key): [DocumentKey, SourceDocument | undefined] => [key, find(key)]));
        const rule = onBuild(error.question.document);
        if (rule) {
          error.fail({ rule, message }, documents);
          break;
        }
        const sent = structuredClone({ question: error.question, documents });
        const answer = structuredClone(answerBuild(of, sent.question, { documents: sent.documents, charsMax }));
        if (answer.kind === 'built') error.complete(answer.build, documents);
        else if (answer.kind === 'too_large') error.fail({ rule: 'document.build_failed', message }, documents);
        else for (const key of answer.keys) keys.add(key);
        if (answer.kind !== 'missing') break;
      }
    }
  }
}

describe('a large document', () => {
  it.each([
    ['1.39.3', () => api, () => TEST_NODE],
    ['1.36.4', () => oldApi, () => TEST_NODE],
    ['1.39.3 with policies', () => api, withShield],
  ])('has the same bytes wherever it is built: %s', (_, of, makeNode) => {
    const node = makeNode();
    const built: string[] = [];
    const elsewhere = translateElsewhere(new Translator(of(), { buildsUpToChars: 0 }), createSource(), {
      node,
      of: of(),
      onBuild: (document) => void built.push(document),
    });
    expect(elsewhere).toEqual(new Translator(of()).translate(createSource(), node));
    expect(elsewhere.errors).toEqual([]);
    expect(elsewhere.resources.length).toBeGreaterThan(4);
    expect(built).toContain('clusters/api');
  });

  it('is built once, and again when one of its parts has changed', () => {
    const source = createSource();
    const translator = new Translator(api, { buildsUpToChars: 0 });
    translateElsewhere(translator, source);
    const again: string[] = [];
    const noted = { onBuild: (document: DocumentKey) => void again.push(document) };
    translateElsewhere(translator, source, noted);
    expect(again).toEqual([]);
    source.put('extensions', 'log', 'envoy.extensions.access_loggers.file.v3.FileAccessLog', { path: 'files/b.log' });
    const changed = translateElsewhere(translator, source, noted);
    expect(new Set(again)).toEqual(new Set(['listeners/http']));
    expect(changed).toEqual(new Translator(api).translate(source, TEST_NODE));
  });

  it('may be a small one that inserts large ones', () => {
    const source = createSource();
    const size = source.get('listeners', 'http')?.chars ?? 0;
    const translator = new Translator(api, { buildsUpToChars: size + 10 });
    expect(() => translator.translate(source, TEST_NODE)).toThrow(LargeBuild);
    expect(() => new Translator(api, { buildsUpToChars: size + 1000 }).translate(source, TEST_NODE)).not.toThrow();
  });

  it('that exceeds the limit is not built', () => {
    const { errors, withheld } = translateElsewhere(new Translator(api, { buildsUpToChars: 0 }), createSource(), {
      charsMax: 330,
    });
    expect(errors.map(({ document, rule }) => `${document} ${rule}`)).toContain('listeners/http document.build_failed');
    expect(withheld.map(({ name }) => name)).toContain('http');
  });

  it.each(['document.build_failed', 'document.build_interrupted'] as const)(
    'that fails is withheld, everything else continues, and its references stay: %s',
    (rule) => {
      const source = createSource();
      const translator = new Translator(api, { buildsUpToChars: 0 });
      translateElsewhere(translator, source);
      source.put('routes', 'main', 'envoy.config.route.v3.RouteConfiguration', { name: 'main', virtual_hosts: [] });
      source.put('endpoints', 'api', 'envoy.config.endpoint.v3.ClusterLoadAssignment', {
        cluster_name: 'api',
        policy: { overprovisioning_factor: 200 },
      });
      const failing = { onBuild: (document: DocumentKey) => (document === 'routes/main' ? rule : undefined) };
      const { withheld, errors, resources, used } = translateElsewhere(translator, source, failing);
      expect(withheld.map(({ name }) => name)).toEqual(['main']);
      expect(errors).toEqual([{ document: 'routes/main', path: '', rule, message: 'it is too large; divide it' }]);
      const endpoints = resources.find(({ document }) => document === 'endpoints/api');
      expect(api.decode(endpoints?.type ?? '', endpoints?.bytes ?? new Uint8Array())).toMatchObject({
        policy: { overprovisioning_factor: 200 },
      });
      expect([...used]).toContain('routes/main');
      // The failure is cached; only an interruption can be forgotten.
      expect(translateElsewhere(translator, source).withheld).toHaveLength(1);
      translator.forgetInterrupted();
      const again = translateElsewhere(translator, source);
      if (rule === 'document.build_failed') expect(again.withheld).toHaveLength(1);
      else expect(again).toEqual(new Translator(api).translate(source, TEST_NODE));
    },
  );

  it('that is a listener and fails keeps all routes on the filter', () => {
    const node = withShield();
    const guarded = (translation: Translation) => translation.guards.map(({ unaskedHosts }) => unaskedHosts);
    const strict = { path_with_escaped_slashes_action: 'REJECT_REQUEST', strip_any_host_port: true };
    const source = createSource();
    source.put('listeners', 'http', 'envoy.config.listener.v3.Listener', listener('http', strict));
    source.put('listeners', 'more', 'envoy.config.listener.v3.Listener', listener('more', strict));
    const both = { ...node, listeners: ['http', 'more'] };
    const asked = new Translator(oldApi, { buildsUpToChars: 0 });
    expect(Math.max(...guarded(new Translator(oldApi).translate(source, both)))).toBeGreaterThan(0);
    const failed = translateElsewhere(asked, source, {
      node: both,
      of: oldApi,
      onBuild: (key) => (key === 'listeners/more' ? 'document.build_failed' : undefined),
    });
    expect(Math.max(...guarded(failed))).toBe(0);
  });
});

it('that is a bootstrap and too long to be sent is reported as an error', () => {
  const clusters = Array.from({ length: 6000 }, (_, i) => ({
    name: `c${i}`,
    type: 'STATIC',
    alt_stat_name: 'x'.repeat(60),
  }));
  const source = createSource();
  source.put('bootstrap', 'main', 'envoy.config.bootstrap.v3.Bootstrap', { static_resources: { clusters } });
  const { errors } = new Translator(api).translate(source, TEST_NODE);
  expect(errors).toMatchObject([{ document: 'bootstrap/main', rule: 'bootstrap.too_large' }]);
  expect(errors[0]?.message).toMatch(/at most 524288 are sent: move its static clusters/);
});

it('with endless problems reports the first hundred', () => {
  const bad = Array.from({ length: 300 }, (_, i) => ({ match: { prefix: `/${i}` }, nonsense: 1 }));
  const source = createSource();
  source.put('routes', 'main', 'envoy.config.route.v3.RouteConfiguration', {
    name: 'main',
    virtual_hosts: [{ name: 'all', domains: ['*'], routes: bad }],
  });
  const { errors } = new Translator(api).translate(source, TEST_NODE);
  expect(errors).toHaveLength(100);
  expect(errors.at(-1)).toMatchObject({
    rule: 'document.more_problems',
    message: expect.stringMatching(/^101 further/),
  });
});

import { createTestFleet, type TestFleet } from '@flotilla/controller/testing/fleet';
import { TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { EXIT } from './exit-codes.ts';
import { openOwnersTerminal, type TestTerminal } from './testing/terminal.ts';

const VERSION = TEST_ENVOY_VERSIONS.newest;
const ENVOY_YAML = `
node: { id: edge, cluster: edge }
admin:
  address: { socket_address: { address: 127.0.0.1, port_value: 9901 } }
static_resources:
  listeners:
    - name: http
      address: { socket_address: { address: 127.0.0.1, port_value: 18200 } }
      filterChains:
        - filters:
            - name: envoy.filters.network.http_connection_manager
              typedConfig:
                "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
                statPrefix: http
                routeConfig:
                  name: local
                  virtualHosts:
                    - name: all
                      domains: ["*"]
                      routes: [{ match: { prefix: / }, route: { cluster: backend } }]
                httpFilters:
                  - name: envoy.filters.http.router
                    typedConfig: { "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router }
  clusters:
    - name: backend
      type: STATIC
      load_assignment:
        cluster_name: backend
        endpoints:
          - lb_endpoints:
              - endpoint: { address: { socket_address: { address: 192.0.2.1, port_value: 80 } } }
stats_flush_interval: 10s
`;

let fleet: TestFleet;
let terminal: TestTerminal;
beforeAll(async () => {
  fleet = await createTestFleet();
  terminal = await openOwnersTerminal(fleet);
});
afterAll(async () => {
  await terminal.close();
  await fleet.close();
});

describe('an envoy.yaml (fault M8)', () => {
  const args = ['import', '-', '--name', 'edge', '--version', VERSION];

  it('is converted to documents and a service that can be applied', async () => {
    const imported = await terminal.run(args, { stdin: ENVOY_YAML });
    expect(imported).toMatchObject({
      code: EXIT.ok,
      err: 'Left out, because the controller sets it: node, admin\n',
    });
    const manifests = parseAllDocuments(imported.out).map((document) => document.toJS());
    expect(manifests.map(({ collection, kind, name }) => `${collection ?? kind} ${name}`)).toEqual([
      'clusters backend',
      'listeners http',
      'bootstrap edge',
      'Service edge',
    ]);
    expect(manifests[2].resource).toEqual({ stats_flush_interval: '10s' });

    const applied = await terminal.run(['apply', '-f', '-'], { stdin: imported.out });
    expect(applied, applied.err).toMatchObject({ code: EXIT.ok });
    const shown = await terminal.run(['get', 'services', 'edge']);
    expect(shown.out).toContain('bootstrap edge  listeners http');
  });

  it('is recognised by apply, which suggests the import', async () => {
    const applied = await terminal.run(['apply', '-f', '-'], { stdin: ENVOY_YAML });
    expect(applied).toMatchObject({ code: EXIT.failed, err: expect.stringContaining('flotilla import FILE') });
  });

  it('is refused with the line of an invalid name (fault L6)', async () => {
    const stdin = ENVOY_YAML.replace('- name: backend', '- name: "outbound|80||backend"');
    const refused = await terminal.run(args, { stdin });
    expect(refused).toMatchObject({ code: EXIT.failed, out: '' });
    expect(refused.err).toMatch(/-:25:\d+: static_resources\.clusters\[0\]\.name: "outbound\|80\|\|backend" cannot be/);
  });

  it('is refused if it is not a bootstrap', async () => {
    expect(await terminal.run(args, { stdin: 'collection: clusters\nname: a\nresource: {}\n' })).toMatchObject({
      code: EXIT.usage,
    });
  });
});

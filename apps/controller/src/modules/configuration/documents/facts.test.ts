import type { Collection } from '@flotilla/contract';
import type { JsonObject } from '@flotilla/envoy-api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deriveFacts } from './facts.ts';

const socket = (address: string, port: number) => ({ socket_address: { address, port_value: port } });
const endpointsAt = (...addresses: JsonObject[]) => [
  { lb_endpoints: addresses.map((address) => ({ endpoint: { address } })) },
];

describe('the facts of a document', () => {
  it.each<[string, Collection, JsonObject, object]>([
    ['a listener', 'listeners', { address: socket('0.0.0.0', 8443) }, { address: '0.0.0.0:8443' }],
    ['a listener on IPv6', 'listeners', { address: socket('::', 80) }, { address: '[::]:80' }],
    [
      'a listener with TLS and two addresses',
      'listeners',
      {
        address: socket('@client', 443),
        additional_addresses: [{ address: socket('@client', 8443) }],
        filter_chains: [{}, { transport_socket: { name: 'tls' } }],
      },
      { address: '@client:443', more_addresses: 1, tls: true },
    ],
    [
      'a listener on a socket',
      'listeners',
      { address: { pipe: { path: 'files/a.sock' } } },
      { address: 'files/a.sock' },
    ],
    [
      'a cluster',
      'clusters',
      {
        type: 'STRICT_DNS',
        load_assignment: { endpoints: endpointsAt(socket('a.example', 80), socket('b.example', 80)) },
        transport_socket: { name: 'tls' },
      },
      { discovery: 'STRICT_DNS', endpoints: 2, address: 'a.example:80', tls: true },
    ],
    ['a cluster without a type', 'clusters', {}, { discovery: 'STATIC' }],
    [
      'a cluster of an extension',
      'clusters',
      { cluster_type: { name: 'envoy.clusters.aggregate' } },
      { discovery: 'envoy.clusters.aggregate' },
    ],
    [
      'endpoints',
      'endpoints',
      { endpoints: endpointsAt(socket('192.0.2.1', 80)) },
      { endpoints: 1, address: '192.0.2.1:80' },
    ],
    [
      'a route configuration',
      'routes',
      {
        virtual_hosts: [
          { domains: ['a.example', 'b.example', 'c.example'], routes: [{}, {}] },
          { domains: ['d.example', 'e.example', 'f.example'], routes: [{}] },
        ],
      },
      { domains: ['a.example', 'b.example', 'c.example', 'd.example', 'e.example'], domains_total: 6, routes: 3 },
    ],
    ['a virtual host', 'virtual_hosts', { domains: ['*'] }, { domains: ['*'], domains_total: 1, routes: 0 }],
    ['a secret', 'secrets', { name: 's', validation_context: {} }, { content: 'validation_context' }],
    ['a filter', 'filters', { '@type': 'x' }, {}],
  ])('show what matters of %s', (_what, collection, resource, facts) => {
    expect(deriveFacts(collection, resource)).toEqual(facts);
  });

  it('can be derived from any shape', () => {
    const collections = ['listeners', 'clusters', 'endpoints', 'routes', 'virtual_hosts', 'secrets'] as const;
    const keys = [
      'address',
      'endpoints',
      'lb_endpoints',
      'virtual_hosts',
      'domains',
      'filter_chains',
      'load_assignment',
    ];
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(
        fc.constantFrom(...collections),
        fc.dictionary(fc.constantFrom(...keys), value),
        (collection, resource) => {
          expect(() => deriveFacts(collection, resource as JsonObject)).not.toThrow();
        },
      ),
    );
  });
});

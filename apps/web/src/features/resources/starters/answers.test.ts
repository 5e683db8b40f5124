import { describe, expect, it } from 'vitest';
import { completeAnswers, exampleOf, fillStarter, proposeAnswers, type Question, type Starter } from './answers.ts';

const ask = (kind: Question['kind'], ...paths: string[]): Question => ({ kind, label: kind, paths });
const endpoint = (address: string, port_value: number, more: object = {}) => ({
  endpoint: { address: { socket_address: { address, port_value } } },
  ...more,
});

const CLUSTER: Starter = {
  id: 'cluster',
  title: 'Cluster',
  description: '',
  collection: 'clusters',
  type: 'envoy.config.cluster.v3.Cluster',
  name: 'backend',
  resource: {
    name: 'backend',
    load_assignment: { cluster_name: 'backend', endpoints: [{ lb_endpoints: [endpoint('backend.example.com', 443)] }] },
    transport_socket: { typed_config: { sni: 'backend.example.com' } },
    connect_timeout: '5s',
  },
  questions: [
    ask('name', 'load_assignment.cluster_name'),
    ask('addresses', 'load_assignment.endpoints[0].lb_endpoints'),
    ask('server_name', 'transport_socket.typed_config.sni'),
  ],
};

function starterOf(resource: object, ...questions: Question[]): Starter {
  return { ...CLUSTER, resource: resource as Starter['resource'], questions: [ask('name'), ...questions] };
}

describe('the answers of a starter', () => {
  it('are written into all their places, and the rest of the document stays', () => {
    const filled = fillStarter(CLUSTER, [' shop ', 'a.example.com:8443\n\n[2001:db8::1]:8444:2\n', 'tls.example.com']);
    expect(filled).toEqual({
      name: 'shop',
      resource: {
        name: 'shop',
        load_assignment: {
          cluster_name: 'shop',
          endpoints: [
            {
              lb_endpoints: [
                endpoint('a.example.com', 8443),
                endpoint('2001:db8::1', 8444, { load_balancing_weight: 2 }),
              ],
            },
          ],
        },
        transport_socket: { typed_config: { sni: 'tls.example.com' } },
        connect_timeout: '5s',
      },
    });
    expect(CLUSTER.resource).toMatchObject({ name: 'backend' });
  });

  it('include the first host name among the addresses if no server name is given', () => {
    expect(completeAnswers(CLUSTER, ['c', '192.0.2.1:443\nb.example.com:443', ''])[2]).toBe('b.example.com');
    expect(completeAnswers(CLUSTER, ['c', '192.0.2.1:443', ''])[2]).toBe('');
    expect(completeAnswers(CLUSTER, ['c', 'b.example.com:443', 'x.example.com'])[2]).toBe('x.example.com');
  });

  it('start with what is usual, and show the rest as examples', () => {
    const starter = starterOf(
      {
        port: 8080,
        domains: ['*'],
        hosts: ['www.example.com', 'b.example.com'],
        max: '1073741824',
        key: { filename: 'k' },
      },
      ask('port', 'port'),
      ask('domains', 'domains'),
      ask('domains', 'hosts'),
      ask('count', 'max'),
      ask('private_key_pem', 'key'),
      ask('cluster', 'missing'),
    );
    expect(proposeAnswers(starter)).toEqual(['backend', '8080', '*', '', '1073741824', '', '']);
    expect(starter.questions.map((question) => exampleOf(starter, question))).toEqual([
      'backend',
      '8080',
      '*',
      'www.example.com, b.example.com',
      '1073741824',
      '',
      '',
    ]);
    expect(proposeAnswers(CLUSTER)).toEqual(['backend', '', '']);
    const [, addresses = ask('addresses')] = CLUSTER.questions;
    expect(exampleOf(CLUSTER, addresses)).toBe('backend.example.com:443');
  });

  it('keep the types of the document', () => {
    const starter = starterOf(
      { port: 1, domains: ['*'], small: 1, large: '1', key: { filename: 'k' } },
      ask('port', 'port'),
      ask('domains', 'domains'),
      ask('count', 'small'),
      ask('count', 'large'),
      ask('private_key_pem', 'key'),
    );
    expect(fillStarter(starter, ['n', '8443', 'a.example.com, *.b.example.com', '5', '6', 'pem']).resource).toEqual({
      port: 8443,
      domains: ['a.example.com', '*.b.example.com'],
      small: 5,
      large: '6',
      key: { inline_string: 'pem\n' },
    });
  });

  it('name a virtual host after the second part of its name', () => {
    const starter: Starter = {
      ...starterOf({ name: 'www.example.com' }),
      collection: 'virtual_hosts',
      name: 'main/www.example.com',
    };
    expect(proposeAnswers(starter)).toEqual(['']);
    expect(fillStarter(starter, ['edge/a.example.com'])).toEqual({
      name: 'edge/a.example.com',
      resource: { name: 'a.example.com' },
    });
  });
});

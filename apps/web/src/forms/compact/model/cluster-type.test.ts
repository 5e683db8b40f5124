import { describe, expect, it } from 'vitest';
import { listMisplacedNames, placeOfCluster, readClusterType, toResolving } from './cluster-type.ts';
import { createEndpoint, readEndpoints } from './endpoints.ts';

const socket = { socket_address: { address: 'a.example.com', port_value: 80 } };

function read(items: readonly object[]) {
  const found = readEndpoints([{ lb_endpoints: items as never }]);
  if (!found.isSimple) throw new Error(found.reason);
  return found.rows;
}

const hosts = (...names: string[]) => read(names.map((host) => createEndpoint({ host, port: '80', weight: '' })));

describe('host names among the endpoints of a cluster', () => {
  it('are misplaced in the types that take only IP addresses', () => {
    const rows = hosts('192.0.2.1', 'a.example.com', '[2001:db8::1]', 'localhost');
    expect(listMisplacedNames(rows, 'STATIC')).toEqual([2, 4]);
    expect(listMisplacedNames(rows, 'EDS')).toEqual([2, 4]);
    for (const type of ['STRICT_DNS', 'LOGICAL_DNS', 'ORIGINAL_DST', undefined])
      expect(listMisplacedNames(rows, type)).toEqual([]);
  });

  it('include text that only looks like an address', () => {
    expect(listMisplacedNames(hosts('256.0.2.1', '127.1', '192.0.2.01', '[2001:db8::1::2]'), 'STATIC')).toEqual([
      1, 2, 3, 4,
    ]);
  });

  it('are not reported again if the host is missing, or a resolver is named', () => {
    const resolved = { endpoint: { address: { socket_address: { ...socket.socket_address, resolver_name: 'own' } } } };
    expect(listMisplacedNames(read([{}, resolved]), 'STATIC')).toEqual([]);
  });
});

describe('the type of a cluster', () => {
  it('is STATIC if none is written, and may be a number', () => {
    expect(readClusterType({})).toBe('STATIC');
    expect(readClusterType({ type: null })).toBe('STATIC');
    expect(readClusterType({ type: 3 })).toBe('EDS');
    expect(readClusterType({ type: 'LOGICAL_DNS' })).toBe('LOGICAL_DNS');
  });

  it('is unknown if an extension replaces it or the value is no type', () => {
    expect(readClusterType({ cluster_type: { name: 'own' } })).toBeUndefined();
    expect(readClusterType({ clusterType: { name: 'own' } })).toBeUndefined();
    expect(readClusterType({ type: 'toString' })).toBeUndefined();
    expect(readClusterType({ type: 99 })).toBeUndefined();
    expect(readClusterType('cluster')).toBeUndefined();
  });

  it('changes to one that resolves names, without the settings that Envoy refuses with it', () => {
    const cluster = { name: 'c', type: 'EDS', edsClusterConfig: { service_name: 's' }, lb_policy: 'RANDOM' };
    expect(toResolving(cluster)).toEqual({ name: 'c', type: 'STRICT_DNS', lb_policy: 'RANDOM' });
    expect(toResolving(undefined)).toEqual({ type: 'STRICT_DNS' });
  });

  it('belongs to the cluster around the endpoints, which a document of endpoints does not have', () => {
    expect(placeOfCluster('load_assignment.endpoints')).toBe('');
    expect(placeOfCluster('static_resources.clusters[1].loadAssignment.endpoints')).toBe(
      'static_resources.clusters[1]',
    );
    expect(placeOfCluster('endpoints')).toBeUndefined();
  });
});

/** An object of JSON, as the cloud sends it. */
export type CloudRecord = Readonly<Record<string, unknown>> & { readonly id: string };

export interface CloudRecords {
  readonly ports: readonly CloudRecord[];
  readonly networks: readonly CloudRecord[];
  readonly subnets: readonly CloudRecord[];
}

export const SERVER = '5f0d8a5e-6f0c-4f1a-9a36-0d5c8f3a1b2c';
export const LAN = 'b1b1b1b1-0000-4000-8000-000000000001';
export const LAN_SUBNET = 'c1c1c1c1-0000-4000-8000-000000000001';
const HIDDEN = 'b1b1b1b1-0000-4000-8000-000000000009';

const port = (n: number, more: object = {}) => ({
  id: `d1d1d1d1-0000-4000-8000-${String(n).padStart(12, '0')}`,
  name: `port-${n}`,
  network_id: LAN,
  status: 'ACTIVE',
  admin_state_up: true,
  mac_address: 'fa:16:3e:00:00:01',
  fixed_ips: [{ subnet_id: LAN_SUBNET, ip_address: `10.0.0.${n}` }],
  allowed_address_pairs: [] as object[],
  device_id: '',
  device_owner: 'compute:nova',
  revision_number: 3,
  ...more,
});

/** A server with two ports, one of them in a network that the credential may not see; `others` more ports in its network. */
export function createRecords(others: number): CloudRecords {
  return {
    ports: [
      port(10, {
        name: '<b>edge</b>',
        device_id: SERVER,
        allowed_address_pairs: [
          { ip_address: '10.0.0.200', mac_address: 'fa:16:3e:00:00:01' },
          { ip_address: '10.0.0.128/25', mac_address: 'fa:16:3e:00:00:01' },
        ],
      }),
      port(11, { device_id: SERVER, network_id: HIDDEN, status: 'DOWN', fixed_ips: [] }),
      ...Array.from({ length: others }, (_, i) => port(20 + i)),
    ],
    networks: [{ id: LAN, name: 'lan', status: 'ACTIVE', mtu: 1450 }],
    subnets: [
      {
        id: LAN_SUBNET,
        name: 'lan-v4',
        network_id: LAN,
        cidr: '10.0.0.0/24',
        gateway_ip: '10.0.0.1',
        ip_version: 4,
        enable_dhcp: true,
        dns_nameservers: ['192.0.2.53'],
        allocation_pools: [{ start: '10.0.0.1', end: '10.0.0.254' }],
      },
    ],
  };
}

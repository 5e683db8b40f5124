import { runWithOpenStackSdk } from '@flotilla/testkit';
import {
  CLOUD_PROJECT,
  CLOUD_REGION,
  CLOUD_USER,
  CREDENTIAL,
  createRecords,
  LAN,
  LAN_SUBNET,
  OpenStackServer,
  SERVER,
} from '@flotilla/testkit/openstack-server';
import { expect, it } from 'vitest';

/** Reads what the lookups read, through the official client. */
const PROGRAM = `
import json, sys, openstack
options, server = json.loads(sys.argv[1]), sys.argv[2]
cloud = openstack.connection.Connection(**options)
network = cloud.network
print(json.dumps({
    'project': cloud.current_project_id,
    'ports': [[p.name, p.status, p.mac_address, p.fixed_ips, p.allowed_address_pairs] for p in network.ports(device_id=server)],
    'all': len(list(network.ports(limit=7))),
    'networks': [[n.id, n.name] for n in network.networks()],
    'subnets': [[s.id, s.cidr, s.gateway_ip, s.allocation_pools, s.dns_nameservers] for s in network.subnets()],
}))
`;

const CREDENTIALS = {
  'an application credential': {
    auth_type: 'v3applicationcredential',
    application_credential_id: CREDENTIAL.id,
    application_credential_secret: CREDENTIAL.secret,
  },
  'a password': {
    auth_type: 'v3password',
    username: CLOUD_USER.name,
    password: CLOUD_USER.password,
    user_domain_name: CLOUD_USER.domain,
    project_id: CLOUD_PROJECT,
  },
};

it.each(Object.entries(CREDENTIALS))(
  'openstacksdk with %s reads the same from the cloud of our tests as the lookups',
  async (_, credential) => {
    const server = await OpenStackServer.start({ records: createRecords(60), pageMax: 7 });
    try {
      const options = { auth_url: `${server.url}/v3`, region_name: CLOUD_REGION, interface: 'public', ...credential };
      const read = JSON.parse(await runWithOpenStackSdk(PROGRAM, [JSON.stringify(options), SERVER]));
      const { ports, subnets } = createRecords(60);
      expect(read).toMatchObject({
        project: CLOUD_PROJECT,
        ports: ports
          .slice(0, 2)
          .map((port) => [port.name, port.status, port.mac_address, port.fixed_ips, port.allowed_address_pairs]),
        all: 62,
        networks: [[LAN, 'lan']],
        subnets: subnets.map((subnet) => [
          LAN_SUBNET,
          subnet.cidr,
          subnet.gateway_ip,
          subnet.allocation_pools,
          subnet.dns_nameservers,
        ]),
      });
    } finally {
      await server.close();
    }
  },
);

/** Allows an address as the lookups do: a conditional write of all pairs. The second one is for an older revision. */
const WRITER = `
import json, sys, openstack
from openstack import exceptions
options, port_id, address = json.loads(sys.argv[1]), sys.argv[2], sys.argv[3]
network = openstack.connection.Connection(**options).network
port = next(p for p in network.ports() if p.id == port_id)
pairs = port.allowed_address_pairs + [{'ip_address': address}]
written = network.update_port(port_id, if_revision=port.revision_number, allowed_address_pairs=pairs)
try:
    network.update_port(port_id, if_revision=port.revision_number, allowed_address_pairs=[])
    refused = None
except exceptions.HttpException as error:
    refused = error.status_code
print(json.dumps({'pairs': written.allowed_address_pairs, 'refused': refused}))
`;

it('openstacksdk allows addresses in the cloud of our tests, and a write for an older revision is refused', async () => {
  const server = await OpenStackServer.start({ records: createRecords(1) });
  try {
    const credential = CREDENTIALS['an application credential'];
    const options = { auth_url: `${server.url}/v3`, region_name: CLOUD_REGION, interface: 'public', ...credential };
    const [port] = createRecords(1).ports;
    const args = [JSON.stringify(options), port?.id ?? '', '10.0.0.77'];
    const written = JSON.parse(await runWithOpenStackSdk(WRITER, args));
    const pairs = [
      ...((port?.allowed_address_pairs ?? []) as object[]),
      { ip_address: '10.0.0.77', mac_address: 'fa:16:3e:00:00:01' },
    ];
    expect(written).toEqual({ pairs, refused: 412 });
    expect(server.readPort(port?.id ?? '').allowed_address_pairs).toEqual(pairs);
  } finally {
    await server.close();
  }
});

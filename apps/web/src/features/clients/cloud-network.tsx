import type { CloudPort } from '@flotilla/contract';
import { Button, Modal, Select } from '@mantine/core';
import { useState } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { Empty, Loaded, type PlainColumn, PlainTable, Section } from '../../ui/index.ts';
import classes from './client.module.css';
import { texts as text } from './cloud-network-texts.ts';
import type { CloudPlace } from './cloud-place.ts';
import type { WholeClient } from './model.ts';
import { SubnetAddresses } from './subnet-addresses.tsx';

/** The provider of OpenStack servers in the facts of a client. */
const OPENSTACK = 'openstack';

type Subnet = NonNullable<CloudPort['network_details']>['subnets'][number];

/** The ports of the server of a client in OpenStack. They are read from the cloud only when somebody asks. */
export function CloudNetwork({ client }: { client: WholeClient }) {
  const can = useCan();
  const [isShown, setShown] = useState(false);
  const { provider, server_id: server, project: cloudProject } = client.cloud;
  if (provider?.value !== OPENSTACK || !can(routes.cloudLookup.interfaces)) return null;
  const place = cloudProject && { clientId: client.client_id, cloudProject: cloudProject.value };
  return (
    <Section
      title={text.title}
      actions={
        server &&
        place &&
        !isShown && (
          <Button variant="default" size="xs" onClick={() => setShown(true)}>
            {text.show}
          </Button>
        )
      }
    >
      <span className={classes.dimmed}>{server && place ? text.lead : text.unknown}</span>
      {isShown && server && place && <Ports server={server.value} {...place} />}
    </Section>
  );
}

function Ports({ server, ...of }: Omit<CloudPlace, 'cloud'> & { readonly server: string }) {
  const project = useProject();
  const [cloud, setCloud] = useState<string>();
  const [subnet, setSubnet] = useState<Subnet>();
  const place = { ...of, cloud };
  const query = useApi(routes.cloudLookup.interfaces, {
    params: { client_id: of.clientId },
    query: { project: project.id, cloud_project: of.cloudProject, os_uuid: server, cloud },
  });
  return (
    <>
      <CloudChoice cloud={cloud} onChange={setCloud} />
      <Loaded query={query} what={text.what}>
        {({ body: { data } }) =>
          data.length === 0 ? (
            <Empty title={text.empty} />
          ) : (
            <PlainTable name={text.table} rows={data} columns={toColumns(setSubnet)} rowId={({ id }) => id} />
          )
        }
      </Loaded>
      <Modal
        opened={subnet !== undefined}
        onClose={() => setSubnet(undefined)}
        title={subnet && text.free.title(subnet.cidr)}
      >
        {subnet && <SubnetAddresses place={place} subnet={subnet.id} />}
      </Modal>
    </>
  );
}

/** Shown if the project has several clouds: then one of them has to be chosen. */
function CloudChoice({
  cloud,
  onChange,
}: {
  cloud: string | undefined;
  onChange: (cloud: string | undefined) => void;
}) {
  const project = useProject();
  const { data } = useApi(routes.cloud.list, { query: { project: project.id } });
  const names = data?.body.items.map(({ name }) => name ?? '') ?? [];
  if (names.length < 2) return null;
  return (
    <Select
      label={text.cloud}
      data={names}
      value={cloud ?? null}
      onChange={(name) => onChange(name ?? undefined)}
      maw={320}
    />
  );
}

function toColumns(onShow: (subnet: Subnet) => void): readonly PlainColumn<CloudPort>[] {
  return [
    {
      id: 'name',
      isNarrow: true,
      header: text.name,
      cell: ({ name, id }) => <bdi className={classes.anywhere}>{name || id}</bdi>,
    },
    { id: 'status', header: text.status, cell: ({ status }) => status },
    { id: 'mac', header: text.mac, cell: ({ mac_address: mac }) => <span className="mono">{mac}</span> },
    { id: 'addresses', isNarrow: true, header: text.addresses, cell: ({ fixed_ips: ips }) => <Addresses of={ips} /> },
    { id: 'pairs', header: text.pairs, cell: ({ allowed_address_pairs: pairs }) => <Addresses of={pairs} /> },
    { id: 'network', isNarrow: true, header: text.network, cell: (port) => <Network port={port} onShow={onShow} /> },
  ];
}

function Addresses({ of }: { of: readonly { readonly ip_address: string }[] }) {
  return of.map(({ ip_address: address }) => (
    <div key={address} className="mono">
      {address}
    </div>
  ));
}

function Network({
  port: { network_details: network },
  onShow,
}: {
  port: CloudPort;
  onShow: (subnet: Subnet) => void;
}) {
  if (!network) return <span className={classes.dimmed}>{text.hidden}</span>;
  return (
    <>
      <bdi>{network.name}</bdi>
      {network.subnets.map((subnet) => (
        <div key={subnet.id}>
          <span className="mono">{subnet.cidr}</span>{' '}
          <span className={classes.dimmed}>
            {subnet.gateway_ip === null ? text.noGateway : text.gateway(subnet.gateway_ip)}
          </span>{' '}
          <Button
            variant="subtle"
            size="compact-xs"
            aria-label={text.free.showOf(subnet.cidr)}
            onClick={() => onShow(subnet)}
          >
            {text.free.show}
          </Button>
        </div>
      ))}
    </>
  );
}

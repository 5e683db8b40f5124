import { Link } from '@tanstack/react-router';
import { DocumentLink, ServiceLink } from '../../../app/links.tsx';
import { useProject } from '../../../app/project.tsx';
import { Empty, Facts, Section, Time } from '../../../ui/index.ts';
import { NodeTable } from '../nodes/node-table.tsx';
import classes from '../service.module.css';
import type { Service, ServiceDetail } from '../types.ts';
import { CommandHistory } from './command-history.tsx';
import { TroubleList } from './trouble-list.tsx';

const NODES_SHOWN = 20;

export function OverviewTab({ detail }: { detail: ServiceDetail }) {
  const { service, nodes } = detail;
  return (
    <div className={classes.stack}>
      <TroubleList detail={detail} />
      <Section title="Facts">
        <ServiceFacts service={service} />
      </Section>
      <Section
        title="Nodes"
        actions={
          nodes.length > 0 && (
            <ServiceLink id={service.id} tab="nodes">
              All details
            </ServiceLink>
          )
        }
      >
        {nodes.length === 0 ? (
          <Empty title="No clients yet">
            Deploy the service to clients: they fetch the proxy version, start Envoy and follow this configuration from
            then on.
          </Empty>
        ) : (
          <>
            <NodeTable nodes={nodes.slice(0, NODES_SHOWN)} service={service} />
            {nodes.length > NODES_SHOWN && (
              <span className={classes.side}>
                {nodes.length - NODES_SHOWN} more in{' '}
                <ServiceLink id={service.id} tab="nodes">
                  Nodes
                </ServiceLink>
              </span>
            )}
          </>
        )}
      </Section>
      <Section title="Recent commands">
        <CommandHistory serviceId={service.id} />
      </Section>
    </div>
  );
}

function ServiceFacts({ service }: { service: Service }) {
  const project = useProject();
  const { version } = service;
  const names = (collection: string, list: readonly string[]) =>
    list.length === 0 ? null : (
      <span className={classes.main}>
        {list.map((name, index) => (
          <span key={name}>
            {index > 0 && ', '}
            <DocumentLink collection={collection} name={name} version={version} />
          </span>
        ))}
      </span>
    );
  return (
    <Facts
      facts={[
        ['Proxy version', version],
        ['Bootstrap', names('bootstrap', [service.bootstrap])],
        ['Listeners', names('listeners', service.listeners)],
        ['Policies', names('policies', service.policies)],
        [
          'Deployed to',
          `${service.targets.filter(({ deployed }) => deployed).length} of ${service.targets.length} listed clients`,
        ],
        ['Addresses', [...new Set(service.clients.flatMap(({ addresses }) => addresses))].join(', ')],
        ['Filter threads', String(service.shield.threads)],
        ['Trusted proxies in front', String(service.shield.xff_trusted_hops)],
        [
          'Changed',
          <>
            <Time at={service.updated_at} /> by <bdi>{service.updated_by}</bdi>, revision{' '}
            <Link
              to="/p/$project/services/$serviceId"
              params={{ project: project.name, serviceId: service.id }}
              search={{ tab: 'document' }}
            >
              {service.revision}
            </Link>
          </>,
        ],
        ['Created', <Time key="created" at={service.created_at} />],
      ]}
    />
  );
}

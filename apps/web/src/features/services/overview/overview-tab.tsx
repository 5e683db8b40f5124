import { Link } from '@tanstack/react-router';
import { DocumentLink, ServiceLink } from '../../../app/links.tsx';
import { useProject } from '../../../app/project.tsx';
import { texts } from '../../../texts/index.ts';
import { Empty, Facts, Section, Time } from '../../../ui/index.ts';
import { NodeTable } from '../nodes/node-table.tsx';
import classes from '../service.module.css';
import type { Service, ServiceDetail } from '../types.ts';
import { CommandHistory } from './command-history.tsx';
import { TroubleList } from './trouble-list.tsx';

const text = texts.services.overview.overviewTab;

const NODES_SHOWN = 20;

export function OverviewTab({ detail }: { detail: ServiceDetail }) {
  const { service, nodes } = detail;
  return (
    <div className={classes.stack}>
      <TroubleList detail={detail} />
      <Section
        title={text.overviewTab.titleNodes}
        actions={
          nodes.length > 0 && (
            <ServiceLink id={service.id} tab="nodes">
              {text.overviewTab.serviceLink}
            </ServiceLink>
          )
        }
      >
        {nodes.length === 0 ? (
          <Empty title={text.overviewTab.titleNoClients}>{text.overviewTab.empty}</Empty>
        ) : (
          <>
            <NodeTable nodes={nodes.slice(0, NODES_SHOWN)} service={service} />
            {nodes.length > NODES_SHOWN && (
              <span className={classes.side}>
                {text.overviewTab.text(
                  nodes.length - NODES_SHOWN,
                  <ServiceLink id={service.id} tab="nodes">
                    {text.overviewTab.titleNodes}
                  </ServiceLink>,
                )}
              </span>
            )}
          </>
        )}
      </Section>
      <Section title={text.overviewTab.titleRecentCommands}>
        <CommandHistory serviceId={service.id} />
      </Section>
      <Section title={text.overviewTab.title}>
        <ServiceFacts service={service} />
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
        [text.serviceFacts.factProxyVersion, version],
        [text.serviceFacts.factBootstrap, names('bootstrap', [service.bootstrap])],
        [text.serviceFacts.factListeners, names('listeners', service.listeners)],
        [text.serviceFacts.factPolicies, names('policies', service.policies)],
        [
          text.serviceFacts.factDeployed,
          text.serviceFacts.facts(service.targets.filter(({ deployed }) => deployed).length, service.targets.length),
        ],
        [
          text.serviceFacts.factAddresses,
          [...new Set(service.clients.flatMap(({ addresses }) => addresses))].join(', '),
        ],
        [text.serviceFacts.factFilterThreads, String(service.shield.threads)],
        [text.serviceFacts.factTrustedProxies, String(service.shield.xff_trusted_hops)],
        [
          text.serviceFacts.factChanged,
          text.serviceFacts.changed(
            <Time at={service.updated_at} />,
            <bdi>{service.updated_by}</bdi>,
            <Link
              to="/p/$project/services/$serviceId"
              params={{ project: project.name, serviceId: service.id }}
              search={{ tab: 'document' }}
            >
              {service.revision}
            </Link>,
          ),
        ],
        [text.serviceFacts.factCreated, <Time key="created" at={service.created_at} />],
      ]}
    />
  );
}

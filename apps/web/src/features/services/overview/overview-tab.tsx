import { Link } from '@tanstack/react-router';
import { DocumentLink, ServiceLink } from '../../../app/links.tsx';
import { useProject } from '../../../app/project.tsx';
import { Empty, Facts, Section, Time } from '../../../ui/index.ts';
import { NodeTable } from '../nodes/node-table.tsx';
import classes from '../service.module.css';
import { isWhole, type Service, type ServiceDetail } from '../types.ts';
import { CommandHistory } from './command-history.tsx';
import { texts } from './texts.tsx';
import { TroubleList } from './trouble-list.tsx';

const text = texts.overviewTab;

const NODES_SHOWN = 20;

export function OverviewTab({ detail }: { detail: ServiceDetail }) {
  const { service, nodes } = detail;
  return (
    <div className={classes.stack}>
      <TroubleList detail={detail} />
      <Section
        title={text.tab.nodes}
        actions={
          nodes.length > 0 && (
            <ServiceLink id={service.id} tab="nodes">
              {text.tab.serviceLink}
            </ServiceLink>
          )
        }
      >
        {nodes.length === 0 ? (
          <Empty title={text.tab.emptyTitle}>{text.tab.empty}</Empty>
        ) : (
          <>
            <NodeTable nodes={nodes.slice(0, NODES_SHOWN)} service={service} />
            {nodes.length > NODES_SHOWN && (
              <span className={classes.side}>
                {text.tab.moreIn(
                  nodes.length - NODES_SHOWN,
                  <ServiceLink id={service.id} tab="nodes">
                    {text.tab.nodes}
                  </ServiceLink>,
                )}
              </span>
            )}
          </>
        )}
      </Section>
      <Section title={text.tab.recentCommands}>
        <CommandHistory serviceId={service.id} />
      </Section>
      <Section title={text.tab.title}>
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
        [text.facts.proxyVersion, version],
        [text.facts.bootstrap, names('bootstrap', [service.bootstrap])],
        [text.facts.listeners, names('listeners', service.listeners)],
        [text.facts.policies, names('policies', service.policies)],
        [
          text.facts.deployedTo,
          text.facts.deployedCount(service.targets.filter(({ deployed }) => deployed).length, service.targets.length),
        ],
        ...(isWhole(service)
          ? ([
              [text.facts.addresses, [...new Set(service.clients.flatMap(({ addresses }) => addresses))].join(', ')],
            ] as const)
          : []),
        [text.facts.apiDiscovery, service.api_discovery ? text.facts.on : text.facts.off],
        [text.facts.threads, String(service.shield.threads)],
        [text.facts.trustedProxies, String(service.shield.xff_trusted_hops)],
        [
          text.facts.changed,
          text.facts.changedBy(
            <Time at={service.updated_at} />,
            <bdi>{service.updated_by}</bdi>,
            isWhole(service) ? (
              <Link
                to="/p/$project/services/$serviceId"
                params={{ project: project.name, serviceId: service.id }}
                search={{ tab: 'document' }}
              >
                {service.revision}
              </Link>
            ) : (
              service.revision
            ),
          ),
        ],
        [text.facts.created, <Time key="created" at={service.created_at} />],
      ]}
    />
  );
}

import { Button, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { DocumentLink } from '../../app/links.tsx';
import { useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { Loaded, Section, useNow } from '../../ui/index.ts';
import { RequestBreakdown } from '../inventory/index.ts';
import { AccessLines, type AccessNode } from './access-lines.tsx';
import { EndpointProblems } from './endpoint-problems.tsx';
import { FiguresRow } from './figures-row.tsx';
import { NamesTable } from './names-table.tsx';
import { texts } from './texts.tsx';
import { readWindow } from './time-window.ts';
import { TrafficCharts } from './traffic-charts.tsx';
import { useTrafficSummary } from './use-traffic.ts';

const text = texts.names;
const MINUTE_MS = 60_000;
const SCOPES = ['listener', 'route_configuration', 'virtual_host', 'cluster'] as const;

interface ServiceTrafficProps {
  readonly service: { readonly id: string; readonly version: string };
  readonly nodes: readonly AccessNode[];
}

/** Shows requests, errors, latency, connections and upstream health of a service. */
export function ServiceTraffic({ service, nodes }: ServiceTrafficProps) {
  const summary = useTrafficSummary({ serviceId: service.id, scopes: SCOPES });
  const window = readWindow(useUrlState().get, useNow(MINUTE_MS));
  const access = <AccessLines nodes={nodes} version={service.version} />;
  const link = (collection: string) => (name: string) => (
    <DocumentLink collection={collection} name={name} version={service.version} />
  );
  return (
    <Stack gap="lg">
      <Section title={texts.access.title}>{access}</Section>
      <InsightLink serviceId={service.id} />
      <TrafficCharts subject={{ serviceId: service.id }} />
      <EndpointProblems serviceId={service.id} />
      <Loaded query={summary} what={texts.charts.what} skeleton={4}>
        {({ body: { services } }) =>
          services[0] && (
            <>
              <FiguresRow stats={services[0]} />
              <NamesTable title={text.listeners} traffic={services[0]} scope="listener" link={link('listeners')} />
              <NamesTable title={text.routes} traffic={services[0]} scope="route_configuration" />
              <NamesTable title={text.hosts} traffic={services[0]} scope="virtual_host" none={text.hostsNotCounted} />
              <NamesTable title={text.clusters} traffic={services[0]} scope="cluster" link={link('clusters')} />
              {services[0].names_omitted > 0 && (
                <Text size="sm" c="dimmed">
                  {text.omitted(services[0].names_omitted)}
                </Text>
              )}
            </>
          )
        }
      </Loaded>
      <RequestBreakdown filters={{ service_id: service.id }} window={window} />
    </Stack>
  );
}

/** Leads to what single requests of the service show. The charts here count all requests, but know none of them. */
function InsightLink({ serviceId }: { serviceId: string }) {
  const project = useProject();
  const can = useCan();
  if (!can(routes.inventory.list)) return null;
  return (
    <div>
      <Button
        variant="default"
        renderRoot={(props) => (
          <Link
            {...props}
            to="/p/$project/traffic"
            params={{ project: project.name }}
            search={{ service_id: serviceId }}
          />
        )}
      >
        {texts.section.insight}
      </Button>
    </div>
  );
}

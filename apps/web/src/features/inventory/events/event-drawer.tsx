import type { TrafficEvent } from '@flotilla/contract';
import { Button, Drawer } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { routes, useApi } from '../../../api/index.ts';
import { PolicyLink } from '../../../app/links.tsx';
import { useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { Empty, Facts, Neighbours, Section, useKept } from '../../../ui/index.ts';
import { around } from '../../audit/index.ts';
import { nameOf } from '../operation-name.tsx';
import { StoreLoaded } from '../store-loaded.tsx';
import { useRiskFlags } from '../use-inventory.ts';
import { describeEvent, describeJudgement, describeSource } from './event-facts.tsx';
import classes from './events.module.css';
import { texts } from './texts.tsx';

const text = texts.drawer;

/** Shows the request that the URL names, with every field; J and K open its neighbours in the list. */
export function EventDrawer({ rows }: { rows: readonly TrafficEvent[] }) {
  const url = useUrlState();
  const id = url.get('event');
  const kept = useKept(id);
  const listed = rows.find((row) => row.id === kept);
  return (
    <Drawer
      opened={id !== undefined}
      onClose={() => url.set({ event: undefined })}
      size="min(680px, 100vw)"
      title={listed ? nameOf(listed) : text.event}
    >
      <Neighbours name="event" rows={rows} words={text} />
      {listed ? <Details event={listed} /> : kept !== undefined && <LoadedEvent id={kept} />}
    </Drawer>
  );
}

/** A request that is not in the list: the URL was opened later, or with other filters. */
function LoadedEvent({ id }: { id: string }) {
  const project = useProject();
  const query = useApi(routes.trafficEvent.get, { params: { event_id: id }, query: { project: project.id } });
  return (
    <StoreLoaded query={query} what={text.what} missing={<Empty title={text.missing}>{text.whyMissing}</Empty>}>
      {({ body }) => <Details event={body} />}
    </StoreLoaded>
  );
}

function Details({ event }: { event: TrafficEvent }) {
  const flags = useRiskFlags();
  return (
    <div className={classes.details}>
      <Facts facts={[...describeEvent(event), ...describeJudgement(event, flags), ...describeSource(event)]} />
      <p className={classes.dimmed}>{text.notRecorded}</p>
      <Findings event={event} />
      <Actions event={event} />
    </div>
  );
}

/** Lists the findings of the filter for the same request. */
function Findings({ event }: { event: TrafficEvent }) {
  const { findings, request_id: id } = event;
  return (
    <Section title={text.findings}>
      {findings.length === 0 ? (
        <NoFindings event={event} />
      ) : (
        <>
          <ul>
            {findings.map((one) => (
              <li key={one.id}>
                <ShieldLink search={{ request_id: id, event: one.id, range: '7d' }}>
                  {text.finding(
                    <span className="mono">{one.engine}</span>,
                    <span className="mono">{one.reason}</span>,
                    one.verdict,
                  )}
                </ShieldLink>
                {one.policy !== '' && text.byPolicy(<PolicyLink name={one.policy} />)}
              </li>
            ))}
          </ul>
          <div>
            <ShieldLink search={{ request_id: id, range: '7d' }}>{text.allFindings}</ShieldLink>
          </div>
        </>
      )}
    </Section>
  );
}

/** A finding is found by the id of its request. If the filter decided and there is none, that id is no UUID, or the finding was not kept. */
function NoFindings({ event: { action, engine, time, service_id: service } }: { event: TrafficEvent }) {
  const isDecided = action === 'block' || action === 'detect';
  if (!isDecided) return <p className={classes.dimmed}>{text.noFindings}</p>;
  const search = { ...around(time), service_id: service, ...(engine !== '' && { engine }) };
  return (
    <>
      <p className={classes.dimmed}>{text.notLinked}</p>
      <div>
        <ShieldLink search={search}>{text.nearFindings}</ShieldLink>
      </div>
    </>
  );
}

function ShieldLink({ search, children }: { search: Readonly<Record<string, string>>; children: ReactNode }) {
  const project = useProject();
  return (
    <Link to="/p/$project/shield/events" params={{ project: project.name }} search={search}>
      {children}
    </Link>
  );
}

function Actions({ event }: { event: TrafficEvent }) {
  const project = useProject();
  const url = useUrlState();
  const narrow = (changes: Readonly<Record<string, string>>) => url.set({ ...changes, event: undefined }, 'push');
  return (
    <div className={classes.steps}>
      <Button
        variant="default"
        renderRoot={(props) => (
          <Link
            {...props}
            to="/p/$project/traffic/endpoints/$endpointId"
            params={{ project: project.name, endpointId: event.operation_id }}
          />
        )}
      >
        {text.endpoint}
      </Button>
      <Button variant="default" onClick={() => narrow({ operation_id: event.operation_id })}>
        {text.sameEndpoint}
      </Button>
      {event.consumer !== '' && (
        <Button variant="default" onClick={() => narrow({ consumer: event.consumer })}>
          {text.sameConsumer}
        </Button>
      )}
      {event.source !== '' && (
        <Button variant="default" onClick={() => narrow({ source: event.source })}>
          {text.sameSource}
        </Button>
      )}
    </div>
  );
}

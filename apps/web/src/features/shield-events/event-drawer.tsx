import type { ShieldEvent } from '@flotilla/contract';
import { Button, Drawer } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { routes } from '../../api/index.ts';
import { ClientLink, PolicyLink, ServiceLink } from '../../app/links.tsx';
import { useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { Copy, Empty, Facts, formatExact, Neighbours, State, Time, toWord, useKept } from '../../ui/index.ts';
import { ruleSearch, trialSearch, verdictLook } from './event-look.ts';
import classes from './events.module.css';
import { reasonWords } from './reason-words.ts';
import { texts } from './texts.tsx';

const text = texts.eventDrawer;

/** Shows the event that the URL names; J and K open its neighbours in the list. */
export function EventDrawer({ rows, isLoading }: { rows: readonly ShieldEvent[]; isLoading: boolean }) {
  const url = useUrlState();
  const id = url.get('event');
  const event = useKept(rows.find((row) => row.id === id));
  const isListed = event !== undefined && (id === undefined || event.id === id);
  return (
    <Drawer
      opened={id !== undefined}
      onClose={() => url.set({ event: undefined })}
      size="min(620px, 100vw)"
      title={isListed ? titleOf(event.reason) : text.drawer.event}
    >
      <Neighbours name="event" rows={rows} words={text.drawer} />
      {isListed ? (
        <Details event={event} />
      ) : (
        !isLoading && <Empty title={text.drawer.notListed}>{text.drawer.whyNotListed}</Empty>
      )}
    </Drawer>
  );
}

function titleOf(reason: string): string {
  const words = reasonWords(reason) || reason;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function Details({ event }: { event: ShieldEvent }) {
  return (
    <div className={classes.details}>
      <Facts facts={[...describeDecision(event), ...describeOrigin(event)]} />
      <p className={classes.dimmed}>{text.details.notRecorded}</p>
      <Actions event={event} />
    </div>
  );
}

type EventFacts = ComponentProps<typeof Facts>['facts'];

function describeDecision(event: ShieldEvent): EventFacts {
  return [
    [text.details.verdict, <State key="verdict" {...verdictLook(event)} />],
    [
      text.details.time,
      <span key="time">
        <Time at={event.time} /> <span className={classes.dimmed}>{formatExact(event.time)}</span>
      </span>,
    ],
    [
      text.details.request,
      <span key="request" className={`mono ${classes.break}`}>
        {event.method} <bdi>{`${event.host}${event.path}`}</bdi>
      </span>,
    ],
    [
      text.details.reason,
      <span key="reason">
        <span className="mono">{event.reason}</span>{' '}
        <span className={classes.dimmed}>{text.details.answeredWith(toWord(event.severity), event.status)}</span>
      </span>,
    ],
    [text.details.measured, event.detail === '' ? undefined : <bdi key="detail">{event.detail}</bdi>],
    [
      text.details.policy,
      <span key="policy">
        <PolicyLink name={event.policy} />{' '}
        <span className={classes.dimmed}>
          {text.details.routeAndEngine(
            event.route === '' ? text.details.domainItself : <bdi className="mono">{event.route}</bdi>,
            <span className="mono">{event.engine}</span>,
          )}
        </span>
      </span>,
    ],
  ];
}

function describeOrigin(event: ShieldEvent): EventFacts {
  return [
    [
      text.details.sourceAddress,
      <span key="ip" className="mono">
        {event.source_ip || text.details.notKnown}
      </span>,
    ],
    [text.details.subject, event.subject === '' ? text.details.noSubject : <bdi key="subject">{event.subject}</bdi>],
    [text.details.service, <ServiceLink key="service" id={event.service_id} name={event.service_name ?? 'gone'} />],
    [text.details.client, <ClientLink key="client" id={event.client_id} name={event.client_name ?? event.client_id} />],
    [
      text.details.requestId,
      event.request_id === '' ? (
        'none'
      ) : (
        <span key="id">
          <span className={`mono ${classes.break}`}>{event.request_id}</span>{' '}
          <Copy text={event.request_id} what={text.details.requestIdName} />
        </span>
      ),
    ],
    [
      text.details.policyDigest,
      <span key="digest" className="mono">
        {event.digest.slice(0, 12)}
      </span>,
    ],
  ];
}

function Actions({ event }: { event: ShieldEvent }) {
  const project = useProject();
  const can = useCan();
  const url = useUrlState();
  const narrow = (changes: Readonly<Record<string, string>>) => url.set({ ...changes, event: undefined }, 'push');
  return (
    <div className={classes.steps}>
      {can(routes.shieldTrial.try) && (
        <Button
          renderRoot={(props) => (
            <Link
              to="/p/$project/shield/try"
              params={{ project: project.name }}
              search={trialSearch(event)}
              {...props}
            />
          )}
        >
          {text.details.tryRequest}
        </Button>
      )}
      <Button
        variant="default"
        renderRoot={(props) => (
          <Link
            to="/p/$project/policies/$name"
            params={{ project: project.name, name: event.policy }}
            search={ruleSearch(event)}
            {...props}
          />
        )}
      >
        {text.details.showRule}
      </Button>
      {event.source_ip !== '' && (
        <Button variant="default" onClick={() => narrow({ source_ip: event.source_ip })}>
          {text.details.allFromAddress}
        </Button>
      )}
      <Button variant="default" onClick={() => narrow({ reason: event.reason, policy: event.policy })}>
        {text.details.allLikeThis}
      </Button>
    </div>
  );
}

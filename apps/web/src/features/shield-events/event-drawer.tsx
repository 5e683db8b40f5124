import type { ShieldEvent } from '@flotilla/contract';
import { Button, Drawer } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { ClientLink, PolicyLink, ServiceLink } from '../../app/links.tsx';
import { useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { Copy, Empty, Facts, formatExact, State, Time, toWord, useKept } from '../../ui/index.ts';
import { trialSearch, verdictLook } from './event-look.ts';
import classes from './events.module.css';
import { reasonWords } from './reason-words.ts';

/** The event that the URL names; J and K go to its neighbours in the list. */
export function EventDrawer({ rows, isLoading }: { rows: readonly ShieldEvent[]; isLoading: boolean }) {
  const url = useUrlState();
  const id = url.get('event');
  const index = rows.findIndex((row) => row.id === id);
  const event = useKept(rows[index]);
  const above = index > 0 ? rows[index - 1] : undefined;
  const below = index >= 0 ? rows[index + 1] : undefined;
  const go = (other: ShieldEvent | undefined) => other && url.set({ event: other.id });
  useHotkeys(
    id === undefined
      ? []
      : [
          ['j', () => go(below)],
          ['k', () => go(above)],
        ],
  );
  const isListed = event !== undefined && (id === undefined || event.id === id);
  return (
    <Drawer
      opened={id !== undefined}
      onClose={() => url.set({ event: undefined })}
      size="min(620px, 100vw)"
      title={<strong>{isListed ? titleOf(event.reason) : 'Event'}</strong>}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <div className={classes.steps}>
        <Button variant="default" disabled={!above} onClick={() => go(above)} aria-keyshortcuts="k">
          Event above <kbd>K</kbd>
        </Button>
        <Button variant="default" disabled={!below} onClick={() => go(below)} aria-keyshortcuts="j">
          Event below <kbd>J</kbd>
        </Button>
      </div>
      {isListed ? (
        <Details event={event} />
      ) : (
        !isLoading && (
          <Empty title="This event is not in the list">
            The filters or the time leave it out, or it is older than what is kept.
          </Empty>
        )
      )}
    </Drawer>
  );
}

function titleOf(reason: string): string {
  const words = reasonWords(reason) || reason;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function Details({ event }: { event: ShieldEvent }) {
  const project = useProject();
  const can = useCan();
  const url = useUrlState();
  const narrow = (changes: Readonly<Record<string, string>>) => url.set({ ...changes, event: undefined }, 'push');
  return (
    <div className={classes.details}>
      <Facts
        facts={[
          ['Verdict', <State key="verdict" {...verdictLook(event)} />],
          [
            'Time',
            <span key="time">
              <Time at={event.time} /> <span className={classes.dimmed}>{formatExact(event.time)}</span>
            </span>,
          ],
          [
            'Request',
            <span key="request" className={`mono ${classes.break}`}>
              {event.method} <bdi>{`${event.host}${event.path}`}</bdi>
            </span>,
          ],
          [
            'Reason',
            <span key="reason">
              <span className="mono">{event.reason}</span>{' '}
              <span className={classes.dimmed}>
                {toWord(event.severity)}, answered with {event.status}
              </span>
            </span>,
          ],
          ['Measured', event.detail === '' ? undefined : <bdi key="detail">{event.detail}</bdi>],
          [
            'Policy',
            <span key="policy">
              <PolicyLink name={event.policy} />{' '}
              <span className={classes.dimmed}>
                {event.route === '' ? 'the domain itself' : <bdi className="mono">{event.route}</bdi>}, engine{' '}
                <span className="mono">{event.engine}</span>
              </span>
            </span>,
          ],
          [
            'Source address',
            <span key="ip" className="mono">
              {event.source_ip || 'not known'}
            </span>,
          ],
          ['Subject', event.subject === '' ? 'none proven' : <bdi key="subject">{event.subject}</bdi>],
          ['Service', <ServiceLink key="service" id={event.service_id} name={event.service_name ?? 'gone'} />],
          ['Client', <ClientLink key="client" id={event.client_id} name={event.client_name ?? event.client_id} />],
          [
            'Request id',
            event.request_id === '' ? (
              'none'
            ) : (
              <span key="id">
                <span className={`mono ${classes.break}`}>{event.request_id}</span>{' '}
                <Copy text={event.request_id} what="request id" />
              </span>
            ),
          ],
          [
            'Digest of the policies',
            <span key="digest" className="mono">
              {event.digest.slice(0, 12)}
            </span>,
          ],
        ]}
      />
      <p className={classes.dimmed}>Headers, query and body are not recorded.</p>
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
            Try this request
          </Button>
        )}
        {event.source_ip !== '' && (
          <Button variant="default" onClick={() => narrow({ source_ip: event.source_ip })}>
            All from this address
          </Button>
        )}
        <Button variant="default" onClick={() => narrow({ reason: event.reason, policy: event.policy })}>
          All like this
        </Button>
      </div>
    </div>
  );
}

import type { Overview } from '@flotilla/contract';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ClientLink, ServiceLink } from '../../app/links.tsx';
import { useProject } from '../../app/project.tsx';
import { Section, State, Time, toWord } from '../../ui/index.ts';
import { explainReason } from '../clients/index.ts';
import classes from './overview.module.css';
import type { SectionId } from './troubles.ts';

interface Props {
  readonly overview: Overview;
}

function TroubleSection({
  id,
  title,
  more,
  children,
}: {
  id: SectionId;
  title: string;
  more?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div id={id} className={classes.anchor}>
      <Section title={title} actions={more} isPanel>
        <ul className={classes.rows} aria-label={title}>
          {children}
        </ul>
      </Section>
    </div>
  );
}

export function ServiceTroubles({ overview: { services } }: Props) {
  const project = useProject();
  if (!services || services.worst.length === 0) return null;
  return (
    <TroubleSection
      id="services"
      title="Services that are not well"
      more={
        <Listed
          shown={services.worst.length}
          total={Math.max(services.worst.length, services.offline + services.partial)}
        />
      }
    >
      {services.worst.map(({ id, name, status, active_errors: errors }) => (
        <li key={id} className={classes.row}>
          <State word={status} />
          <span className={classes.what}>
            <ServiceLink id={id} name={name} />
          </span>
          {errors > 0 ? (
            <Link
              to="/p/$project/services/$serviceId"
              params={{ project: project.name, serviceId: id }}
              search={{ tab: 'errors' }}
              className={classes.when}
            >
              {errors} open {errors === 1 ? 'error' : 'errors'}
            </Link>
          ) : (
            <span className={classes.when} />
          )}
        </li>
      ))}
    </TroubleSection>
  );
}

export function ClientTroubles({ overview: { clients } }: Props) {
  if (!clients || clients.offline === 0) return null;
  return (
    <TroubleSection
      id="clients"
      title="Clients that are offline"
      more={<Listed shown={clients.offline_clients.length} total={clients.offline} />}
    >
      {clients.offline_clients.map(({ client_id: clientId, name, since, reason }) => (
        <li key={clientId} className={classes.row}>
          <State word="Offline" />
          <span className={classes.what}>
            <ClientLink id={clientId} name={name} />
            <span className={classes.why}>{since ? (explainReason(reason) ?? '') : 'it has never connected'}</span>
          </span>
          <span className={classes.when}>
            <Time at={since} />
          </span>
        </li>
      ))}
    </TroubleSection>
  );
}

const CHANGE_LOOKS = {
  refused: { word: 'Refused' },
  held: { word: 'Held' },
  waiting: { word: 'Waiting' },
  behind: { word: 'Behind', tone: 'warn', shape: 'ring' },
} as const;

export function ChangeTroubles({ overview: { pending_changes: pending } }: Props) {
  if (!pending || pending.items.length === 0) return null;
  return (
    <TroubleSection
      id="changes"
      title="Changes that have not arrived"
      more={
        <span className={classes.dimmed}>
          on {pending.nodes} {pending.nodes === 1 ? 'node' : 'nodes'}
        </span>
      }
    >
      {pending.items.map((item) => (
        <li
          key={`${item.service_id} ${item.client_id} ${item.resource?.type} ${item.resource?.name} ${item.state}`}
          className={classes.row}
        >
          <State {...CHANGE_LOOKS[item.state]} />
          <span className={classes.what}>
            <span>
              {item.resource && (
                <>
                  <bdi className="mono">{item.resource.name}</bdi> <span className={classes.dimmed}>of</span>{' '}
                </>
              )}
              <ServiceLink id={item.service_id} name={item.service_name} tab="nodes" />{' '}
              <span className={classes.dimmed}>on</span> <ClientLink id={item.client_id} name={item.client_name} />
            </span>
            <span className={classes.why}>{item.reason ?? ''}</span>
          </span>
          <span className={classes.when}>
            <Time at={item.since} empty="" />
          </span>
        </li>
      ))}
    </TroubleSection>
  );
}

export function ErrorTroubles({ overview: { config_errors: errors } }: Props) {
  if (!errors || errors.active === 0) return null;
  return (
    <TroubleSection
      id="errors"
      title="Open configuration errors"
      more={<Listed shown={errors.newest.length} total={errors.active} />}
    >
      {errors.newest.map((error) => (
        <li key={error.id} className={classes.row}>
          <State word={toWord(error.severity)} />
          <span className={classes.what}>
            <span>
              <ServiceLink id={error.service_id} name={error.service_name ?? 'a deleted service'} tab="errors" />{' '}
              <span className={classes.dimmed}>in</span> <bdi className="mono">{error.resource.name}</bdi>
            </span>
            <span className={classes.why}>{error.message}</span>
          </span>
          <span className={classes.when}>
            <Time at={error.last_seen} />
          </span>
        </li>
      ))}
    </TroubleSection>
  );
}

/** Says so where not all are listed. */
function Listed({ shown, total }: { shown: number; total: number }) {
  if (total <= shown) return null;
  return (
    <span className={classes.dimmed}>
      {shown} of {total.toLocaleString()}
    </span>
  );
}

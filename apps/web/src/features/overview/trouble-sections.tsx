import type { Overview } from '@flotilla/contract';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ClientLink, ServiceLink } from '../../app/links.tsx';
import { useProject } from '../../app/project.tsx';
import { texts } from '../../texts/index.ts';
import { Section, State, Time, toWord } from '../../ui/index.ts';
import { explainReason } from '../clients/index.ts';
import classes from './overview.module.css';
import type { SectionId } from './troubles.ts';

const text = texts.overview.troubleSections;

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
      title={text.serviceTroubles.title}
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
              {text.serviceTroubles.link(errors, errors === 1 ? 'error' : 'errors')}
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
      title={text.clientTroubles.title}
      more={<Listed shown={clients.offline_clients.length} total={clients.offline} />}
    >
      {clients.offline_clients.map(({ client_id: clientId, name, since, reason }) => (
        <li key={clientId} className={classes.row}>
          <State word={text.clientTroubles.word} />
          <span className={classes.what}>
            <ClientLink id={clientId} name={name} />
            <span className={classes.why}>
              {since ? (explainReason(reason) ?? '') : text.clientTroubles.textNeverConnected}
            </span>
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
  refused: { word: text.changeLooks.word },
  held: { word: text.changeLooks.wordHeld },
  waiting: { word: text.changeLooks.wordWaiting },
  behind: { word: text.changeLooks.wordBehind, tone: 'warn', shape: 'ring' },
} as const;

export function ChangeTroubles({ overview: { pending_changes: pending } }: Props) {
  if (!pending || pending.items.length === 0) return null;
  return (
    <TroubleSection
      id="changes"
      title={text.changeTroubles.title}
      more={
        <span className={classes.dimmed}>
          {text.changeTroubles.text(pending.nodes, pending.nodes === 1 ? 'node' : 'nodes')}
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
                  <bdi className="mono">{item.resource.name}</bdi>{' '}
                  <span className={classes.dimmed}>{text.changeTroubles.textOf}</span>{' '}
                </>
              )}
              <ServiceLink id={item.service_id} name={item.service_name} tab="nodes" />{' '}
              <span className={classes.dimmed}>{text.changeTroubles.textOn}</span>{' '}
              <ClientLink id={item.client_id} name={item.client_name} />
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
      title={text.errorTroubles.title}
      more={<Listed shown={errors.newest.length} total={errors.active} />}
    >
      {errors.newest.map((error) => (
        <li key={error.id} className={classes.row}>
          <State word={toWord(error.severity)} />
          <span className={classes.what}>
            <span>
              <ServiceLink
                id={error.service_id}
                name={error.service_name ?? text.errorTroubles.listDeletedService}
                tab="errors"
              />{' '}
              <span className={classes.dimmed}>{text.errorTroubles.text}</span>{' '}
              <bdi className="mono">{error.resource.name}</bdi>
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
  return <span className={classes.dimmed}>{text.listed.text(shown, total.toLocaleString())}</span>;
}

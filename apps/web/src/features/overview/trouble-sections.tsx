import type { Overview } from '@flotilla/contract';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ClientLink, DocumentLink, ServiceLink } from '../../app/links.tsx';
import { useProject } from '../../app/project.tsx';
import { Section, State, Time, toWord } from '../../ui/index.ts';
import { explainReason } from '../clients/index.ts';
import { COLLECTION_LABELS } from '../resources/index.ts';
import { lookOf } from '../services/index.ts';
import classes from './overview.module.css';
import { texts } from './texts.tsx';
import type { SectionId } from './troubles.ts';

const text = texts.troubleSections;

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
      title={text.services.title}
      more={
        <Listed
          shown={services.worst.length}
          total={Math.max(services.worst.length, services.failed + services.degraded + services.unreachable)}
        />
      }
    >
      {services.worst.map(({ id, name, health, reason, active_errors: errors }) => (
        <li key={id} className={classes.row}>
          <State {...lookOf(health)} {...(reason !== null && { why: reason })} />
          <span className={classes.what}>
            <ServiceLink id={id} name={name} />
            {reason !== null && <span className={classes.why}>{reason}</span>}
          </span>
          {errors > 0 ? (
            <Link
              to="/p/$project/services/$serviceId"
              params={{ project: project.name, serviceId: id }}
              search={{ tab: 'errors' }}
              className={classes.when}
            >
              {text.services.openErrors(errors)}
            </Link>
          ) : (
            <span className={classes.when} />
          )}
        </li>
      ))}
    </TroubleSection>
  );
}

export function ClientTroubles({ overview }: Props) {
  const { clients } = overview;
  if (!clients || clients.offline === 0) return null;
  return (
    <TroubleSection
      id="clients"
      title={text.clients.title}
      more={<Listed shown={clients.offline_clients.length} total={clients.offline} />}
    >
      {clients.offline_clients.map(({ client_id: clientId, name, since, reason, renewable_until: renewableUntil }) => (
        <li key={clientId} className={classes.row}>
          <State word={text.clients.offline} />
          <span className={classes.what}>
            <ClientLink id={clientId} name={name} />
            <span className={classes.why}>{since ? (explainReason(reason) ?? '') : text.clients.neverConnected}</span>
            {renewableUntil && renewableUntil < overview.at && (
              <span className={classes.why}>{text.clients.notRenewable}</span>
            )}
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
  refused: { word: text.changeStates.refused },
  held: { word: text.changeStates.held },
  waiting: { word: text.changeStates.waiting },
  behind: { word: text.changeStates.behind, tone: 'warn', shape: 'ring' },
} as const;

export function ChangeTroubles({ overview: { pending_changes: pending } }: Props) {
  if (!pending || pending.items.length === 0) return null;
  return (
    <TroubleSection
      id="changes"
      title={text.changes.title}
      more={<span className={classes.dimmed}>{text.changes.onNodes(pending.nodes)}</span>}
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
                  <span className={classes.dimmed}>{text.changes.of}</span>{' '}
                </>
              )}
              <ServiceLink id={item.service_id} name={item.service_name} tab="nodes" />{' '}
              <span className={classes.dimmed}>{text.changes.on}</span>{' '}
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
      title={text.errors.title}
      more={<Listed shown={errors.newest.length} total={errors.active} />}
    >
      {errors.newest.map((error) => (
        <li key={error.id} className={classes.row}>
          <State word={toWord(error.severity)} />
          <span className={classes.what}>
            <span>
              <ServiceLink id={error.service_id} name={error.service_name ?? text.errors.deletedService} tab="errors" />{' '}
              <span className={classes.dimmed}>{text.errors.in}</span> <bdi className="mono">{error.resource.name}</bdi>
            </span>
            <span className={classes.why}>
              <ServiceLink id={error.service_id} tab="errors" error={error.id}>
                {error.message}
              </ServiceLink>
            </span>
          </span>
          <span className={classes.when}>
            <Time at={error.last_seen} />
          </span>
        </li>
      ))}
    </TroubleSection>
  );
}

const CERTIFICATE_LOOKS = {
  ended: { word: text.certificates.ended, tone: 'bad', shape: 'triangle' },
  ends_soon: { word: text.certificates.endsSoon, tone: 'warn', shape: 'triangle' },
} as const;

export function CertificateTroubles({ overview: { certificates } }: Props) {
  const project = useProject();
  if (certificates.first.length === 0) return null;
  return (
    <TroubleSection
      id="certificates"
      title={text.certificates.title}
      more={
        <>
          <Listed shown={certificates.first.length} total={certificates.ended + certificates.ends_soon} />
          <Link
            to="/p/$project/resources/$collection"
            params={{ project: project.name, collection: 'secrets' }}
            search={{ sort: 'certificate_ends_at' }}
            className={classes.dimmed}
          >
            {text.certificates.all}
          </Link>
        </>
      }
    >
      {certificates.first.map(({ state, ends_at: endsAt, document }) => (
        <li key={document ? `${document.collection} ${document.name} ${document.version}` : ''} className={classes.row}>
          <State {...CERTIFICATE_LOOKS[state]} />
          <span className={classes.what}>
            {document ? (
              <span>
                <DocumentLink {...document} />{' '}
                <span className={classes.dimmed}>
                  {COLLECTION_LABELS[document.collection]} {document.version}
                </span>
              </span>
            ) : (
              <>
                {text.certificates.authority}
                <span className={classes.why}>{text.certificates.whyAuthority}</span>
              </>
            )}
          </span>
          <span className={classes.when}>
            <Time at={endsAt} />
          </span>
        </li>
      ))}
    </TroubleSection>
  );
}

/** Shows that the list is incomplete. */
function Listed({ shown, total }: { shown: number; total: number }) {
  if (total <= shown) return null;
  return <span className={classes.dimmed}>{text.listed.shownOf(shown, total.toLocaleString())}</span>;
}

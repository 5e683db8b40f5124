import type { HealthState, Overview } from '@flotilla/contract';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useProject } from '../../app/project.tsx';
import { State } from '../../ui/index.ts';
import { lookOf } from '../services/index.ts';
import classes from './overview.module.css';
import { texts } from './texts.tsx';

const text = texts.stateStrip;

/** Shows counts by state, each with a link to what it counts. */
export function StateStrip({ overview }: { overview: Overview }) {
  const { services, clients, config_errors: errors, pending_changes: pending } = overview;
  if (!services && !clients && !errors && !pending) return null;
  return (
    <div className={classes.strip}>
      {services && (
        <Group title={text.services}>
          <ServiceCount state="failed" count={services.failed} />
          <ServiceCount state="degraded" count={services.degraded} />
          <ServiceCount state="unreachable" count={services.unreachable} />
          <ServiceCount state="not_deployed" count={services.not_deployed} />
          <Plain word={text.total} count={services.total} tone="neutral" />
        </Group>
      )}
      {clients && (
        <Group title={text.clients}>
          <ClientCount word={text.live} count={clients.live} />
          <ClientCount word={text.offline} count={clients.offline} />
        </Group>
      )}
      {errors && (
        <Group title={text.errors}>
          {errors.active === 0 && <Plain word={text.open} count={0} />}
          {errors.critical > 0 && <Plain word={text.critical} count={errors.critical} />}
          {errors.error > 0 && <Plain word={text.error} count={errors.error} />}
          {errors.warning > 0 && <Plain word={text.warning} count={errors.warning} />}
        </Group>
      )}
      {pending && (
        <Group title={text.onTheirWay}>
          <Plain word={text.nodesBehind} tone="warn" count={pending.nodes} />
          <Plain word={text.commands} tone="busy" count={overview.running_commands} />
        </Group>
      )}
    </div>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={classes.group} aria-label={title}>
      <h2 className={classes.groupTitle}>{title}</h2>
      <div className={classes.counts}>{children}</div>
    </section>
  );
}

function ServiceCount({ state, count }: { state: HealthState; count: number }) {
  const project = useProject();
  const look = lookOf(state);
  return (
    <Link
      to="/p/$project/services"
      params={{ project: project.name }}
      search={{ health: state }}
      className={`${classes.count} ${count === 0 ? classes.zero : ''}`}
    >
      <Figure count={count} />
      {count === 0 ? look.word : <State {...look} />}
    </Link>
  );
}

function ClientCount({ word, count }: { word: string; count: number }) {
  const project = useProject();
  return (
    <Link
      to="/p/$project/clients"
      params={{ project: project.name }}
      search={{ status: word }}
      className={`${classes.count} ${count === 0 ? classes.zero : ''}`}
    >
      <Figure count={count} />
      {count === 0 ? word : <State word={word} />}
    </Link>
  );
}

const PLAIN_LOOKS = {
  warn: { tone: 'warn', shape: 'half' },
  busy: { tone: 'busy', shape: 'arc' },
  neutral: { tone: 'quiet', shape: 'full' },
} as const;

function Plain({ word, count, tone }: { word: string; count: number; tone?: keyof typeof PLAIN_LOOKS }) {
  return (
    <span className={`${classes.count} ${count === 0 ? classes.zero : ''}`}>
      <Figure count={count} />
      {count === 0 ? word : <State word={word} {...(tone && PLAIN_LOOKS[tone])} />}
    </span>
  );
}

function Figure({ count }: { count: number }) {
  return <span className={classes.number}>{count.toLocaleString()}</span>;
}

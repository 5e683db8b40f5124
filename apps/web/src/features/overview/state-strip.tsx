import type { Overview } from '@flotilla/contract';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useProject } from '../../app/project.tsx';
import { texts } from '../../texts/index.ts';
import { State } from '../../ui/index.ts';
import classes from './overview.module.css';

const text = texts.overview.stateStrip;

/** Everything that can be counted, by state; each count leads to what it counts. */
export function StateStrip({ overview }: { overview: Overview }) {
  const { services, clients, config_errors: errors, pending_changes: pending } = overview;
  if (!services && !clients && !errors && !pending) return null;
  return (
    <div className={classes.strip}>
      {services && (
        <Group title={text.services}>
          <Count of="services" word={text.live} count={services.live} />
          <Count of="services" word={text.partial} count={services.partial} />
          <Count of="services" word={text.offline} count={services.offline} />
          <Count of="services" word={text.notDeployed} count={services.not_deployed} />
        </Group>
      )}
      {clients && (
        <Group title={text.clients}>
          <Count of="clients" word={text.live} count={clients.live} />
          <Count of="clients" word={text.offline} count={clients.offline} />
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

interface CountProps {
  readonly of: 'services' | 'clients';
  readonly word: string;
  readonly count: number;
}

function Count({ of, word, count }: CountProps) {
  const project = useProject();
  return (
    <Link
      to={of === 'services' ? '/p/$project/services' : '/p/$project/clients'}
      params={{ project: project.name }}
      search={{ status: word }}
      className={`${classes.count} ${count === 0 ? classes.zero : ''}`}
    >
      <Figure count={count} />
      {count === 0 ? word : <State word={word} />}
    </Link>
  );
}

function Plain({ word, count, tone }: { word: string; count: number; tone?: 'warn' | 'busy' }) {
  return (
    <span className={`${classes.count} ${count === 0 ? classes.zero : ''}`}>
      <Figure count={count} />
      {count === 0 ? (
        word
      ) : (
        <State word={word} {...(tone && { tone, shape: tone === 'busy' ? ('arc' as const) : ('half' as const) })} />
      )}
    </span>
  );
}

function Figure({ count }: { count: number }) {
  return <span className={classes.number}>{count.toLocaleString()}</span>;
}

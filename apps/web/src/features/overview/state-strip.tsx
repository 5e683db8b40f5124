import type { Overview } from '@flotilla/contract';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useProject } from '../../app/project.tsx';
import { State } from '../../ui/index.ts';
import classes from './overview.module.css';

/** Everything that can be counted, by state; each count leads to what it counts. */
export function StateStrip({ overview }: { overview: Overview }) {
  const { services, clients, config_errors: errors, pending_changes: pending } = overview;
  if (!services && !clients && !errors && !pending) return null;
  return (
    <div className={classes.strip}>
      {services && (
        <Group title="Services">
          <Count of="services" word="Live" count={services.live} />
          <Count of="services" word="Partial" count={services.partial} />
          <Count of="services" word="Offline" count={services.offline} />
          <Count of="services" word="Not Deployed" count={services.not_deployed} />
        </Group>
      )}
      {clients && (
        <Group title="Clients">
          <Count of="clients" word="Live" count={clients.live} />
          <Count of="clients" word="Offline" count={clients.offline} />
        </Group>
      )}
      {errors && (
        <Group title="Configuration errors">
          {errors.active === 0 && <Plain word="Open" count={0} />}
          {errors.critical > 0 && <Plain word="Critical" count={errors.critical} />}
          {errors.error > 0 && <Plain word="Error" count={errors.error} />}
          {errors.warning > 0 && <Plain word="Warning" count={errors.warning} />}
        </Group>
      )}
      {pending && (
        <Group title="On their way">
          <Plain word="Nodes behind" tone="warn" count={pending.nodes} />
          <Plain word="Commands" tone="busy" count={overview.running_commands} />
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

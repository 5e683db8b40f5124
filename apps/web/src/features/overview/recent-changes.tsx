import type { Overview } from '@flotilla/contract';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { routes } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { Section, Time } from '../../ui/index.ts';
import classes from './overview.module.css';
import { actorOf, groupRecent, phraseOf } from './recent.ts';
import { texts } from './texts.tsx';

const text = texts.recentChanges;

type Recent = Overview['recent'][number];

export function RecentChanges({ changes }: { changes: readonly Recent[] }) {
  const project = useProject();
  const can = useCan();
  return (
    <Section
      title={text.title}
      isPanel
      actions={
        can(routes.audit.list) && (
          <Link to="/p/$project/audit" params={{ project: project.name }} className={classes.dimmed}>
            {text.auditLog}
          </Link>
        )
      }
    >
      {changes.length === 0 ? (
        <p className={classes.none}>{text.nothing}</p>
      ) : (
        <ol className={classes.rows} aria-label={text.title}>
          {groupRecent(changes).map(({ change, count }) => {
            const { words, name } = phraseOf(change);
            return (
              <li key={`${change.kind} ${change.id}`} className={classes.change}>
                <span className={classes.sentence}>
                  <bdi className={classes.actor}>{actorOf(change)}</bdi>{' '}
                  <ChangeLink change={change}>
                    {words} {name && <bdi className={classes.thing}>{name}</bdi>}
                  </ChangeLink>
                  {count > 1 && <span className={classes.dimmed}> {text.times(count)}</span>}
                </span>
                <span className={classes.when}>
                  <Time at={change.at} />
                </span>
              </li>
            );
          })}
        </ol>
      )}
    </Section>
  );
}

/** Links to the audit entry, or to the changed resource for users who may not read the log. */
function ChangeLink({ change, children }: { change: Recent; children: ReactNode }) {
  const project = useProject();
  if (change.kind === 'audit')
    return (
      <Link to="/p/$project/audit" params={{ project: project.name }} search={{ entry: change.id }}>
        {children}
      </Link>
    );
  if (change.kind === 'policy')
    return (
      <Link to="/p/$project/policies/$name" params={{ project: project.name, name: change.name }}>
        {children}
      </Link>
    );
  return (
    <Link
      to="/p/$project/resources/$collection/$version/$name"
      params={{
        project: project.name,
        collection: change.collection ?? '',
        version: change.version ?? '',
        name: change.name,
      }}
    >
      {children}
    </Link>
  );
}

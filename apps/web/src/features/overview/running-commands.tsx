import { Link } from '@tanstack/react-router';
import { routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { Loaded, Section, State, Time } from '../../ui/index.ts';
import { lookOf, nameOf } from '../clients/index.ts';
import classes from './overview.module.css';
import { texts } from './texts.tsx';

const text = texts.runningCommands;

const LISTED_MAX = 5;

export function RunningCommands({ count }: { count: number }) {
  const project = useProject();
  const can = useCan();
  const query = useApi(
    routes.command.list,
    { query: { project: project.id, limit: LISTED_MAX, outcome: ['running', 'pending'], kind: ['action', 'desired'] } },
    { topics: ['command'] },
  );
  return (
    <Section
      title={text.title}
      isPanel
      actions={count > LISTED_MAX && <span className={classes.dimmed}>{text.newestOf(count.toLocaleString())}</span>}
    >
      <Loaded query={query} what={text.what} skeleton={3}>
        {({ body }) => (
          <ul className={classes.rows} aria-label={text.title}>
            {body.items.map((command) => {
              const { why, ...look } = lookOf(command.outcome);
              const what = (
                <>
                  {nameOf(command)} <span className={classes.dimmed}>{text.on}</span> <bdi>{command.client_name}</bdi>
                </>
              );
              return (
                <li key={command.id} className={classes.row}>
                  <State {...look} why={command.step ?? why} />
                  <span className={classes.what}>
                    {can(routes.fleet.client) ? (
                      <Link
                        to="/p/$project/clients/$clientId"
                        params={{ project: project.name, clientId: command.client_id }}
                        search={{ tab: 'commands', command: command.id }}
                      >
                        {what}
                      </Link>
                    ) : (
                      <span>{what}</span>
                    )}
                  </span>
                  <span className={classes.when}>
                    <Time at={command.created_at} />
                  </span>
                </li>
              );
            })}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}

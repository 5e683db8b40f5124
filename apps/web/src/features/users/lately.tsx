import type { AuditEntryView } from '@flotilla/contract';
import { Link } from '@tanstack/react-router';
import { routes, useApi } from '../../api/index.ts';
import { useProject, useUser } from '../../app/project.tsx';
import { Loaded, Section, State, Time, toWord } from '../../ui/index.ts';
import { actionWords, resourceName } from '../audit/index.ts';
import type { User } from './model.ts';
import classes from './users.module.css';

const SHOWN = 10;

/** What the user did last, as far as the viewer may see the audit log. */
export function Lately({ user }: { user: User }) {
  const project = useProject();
  const me = useUser();
  const query = useApi(
    routes.audit.list,
    { query: { user: user.id, limit: SHOWN, ...(me.is_owner ? {} : { project: project.id }) } },
    { topics: ['audit'] },
  );
  return (
    <Section
      title={me.is_owner ? 'Done lately' : 'Done lately in this project'}
      actions={
        <Link
          to="/p/$project/audit"
          params={{ project: project.name }}
          search={auditOf(user, me)}
          className={classes.link}
        >
          Audit log
        </Link>
      }
    >
      <Loaded query={query} what="The audit log">
        {({ body }) =>
          body.items.length === 0 ? (
            <div className={classes.dim}>Nothing is on record.</div>
          ) : (
            <ul className={classes.rows} aria-label="Done lately">
              {body.items.map((entry) => (
                <EntryRow key={entry.id} entry={entry} user={user} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

/** The audit log of the same person and projects. */
function auditOf(user: User, me: { readonly is_owner: boolean }): Readonly<Record<string, string>> {
  return { user: user.username, ...(me.is_owner && { projects: 'all' }) };
}

function EntryRow({ entry, user }: { entry: AuditEntryView; user: User }) {
  const project = useProject();
  const me = useUser();
  const { action, resource, outcome } = entry;
  return (
    <li className={classes.row}>
      <span className={classes.grow}>
        <Link
          to="/p/$project/audit"
          params={{ project: project.name }}
          search={{ ...auditOf(user, me), entry: entry.id }}
          className={classes.quietLink}
        >
          {actionWords(action)}
        </Link>{' '}
        <bdi>{resourceName(resource)}</bdi>
      </span>
      {outcome !== 'done' && <State word={toWord(outcome)} why={entry.error_code ?? undefined} />}
      <span className={classes.dim}>
        <Time at={entry.at} />
      </span>
    </li>
  );
}

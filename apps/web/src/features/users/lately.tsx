import type { AuditEntryView } from '@flotilla/contract';
import { Link } from '@tanstack/react-router';
import { routes, useApi } from '../../api/index.ts';
import { useProject, useUser } from '../../app/project.tsx';
import { useClientNames } from '../../app/use-client-names.ts';
import { auditActions } from '../../changes/action-texts.ts';
import { Loaded, Section, State, Time, toWord } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import lines from '../../ui/rows.module.css';
import { entryWords, resourceName } from '../audit/index.ts';
import type { User } from './model.ts';
import { texts } from './texts.tsx';

const text = texts.lately;
const { isOwn } = auditActions;

const SHOWN = 10;

/** Shows recent activity of the user, if the viewer may read the audit log. */
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
      title={me.is_owner ? text.everywhere : text.here}
      actions={
        <Link
          to="/p/$project/audit"
          params={{ project: project.name }}
          search={auditOf(user, me)}
          className={layout.link}
        >
          {text.auditLog}
        </Link>
      }
    >
      <Loaded query={query} what={text.what}>
        {({ body }) =>
          body.items.length === 0 ? (
            <div className={lines.dim}>{text.nothing}</div>
          ) : (
            <ul className={lines.rows} aria-label={text.everywhere}>
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

/** Returns the query of the audit log for the same user and projects. */
function auditOf(user: User, me: { readonly is_owner: boolean }): Readonly<Record<string, string>> {
  return { user: user.username, ...(me.is_owner && { projects: 'all' }) };
}

/** Whether the resource has a name. Without one, the action identifies a singleton. */
function hasName({ name, id }: AuditEntryView['resource']): boolean {
  return (name ?? id) !== null;
}

function EntryRow({ entry, user }: { entry: AuditEntryView; user: User }) {
  const project = useProject();
  const me = useUser();
  const nameOf = useClientNames();
  const { resource, outcome } = entry;
  return (
    <li className={lines.row}>
      <span className={lines.grow}>
        <Link
          to="/p/$project/audit"
          params={{ project: project.name }}
          search={{ ...auditOf(user, me), entry: entry.id }}
          className={lines.name}
        >
          {entryWords(entry)}
        </Link>{' '}
        {!isOwn(entry.action) && hasName(resource) && (
          <bdi title={resource.name ?? resource.id ?? undefined}>{resourceName(resource, nameOf)}</bdi>
        )}
      </span>
      {outcome !== 'done' && <State word={toWord(outcome)} why={entry.error_code ?? undefined} />}
      <span className={lines.dim}>
        <Time at={entry.at} />
      </span>
    </li>
  );
}

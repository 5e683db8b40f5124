import type { InvitationView } from '@flotilla/contract';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { RowActions, Section, Time, useDelete } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import lines from '../../ui/rows.module.css';
import { texts } from './texts.tsx';

const text = texts.invitations;

/** Maximum number of open invitations of a project. */
const SHOWN = 100;

/** Lists open invitations to the open project. Renders nothing if there are none. */
export function OpenInvitations() {
  const project = useProject();
  const remove = useDelete();
  const query = useApi(
    routes.invitation.list,
    { query: { project: project.id, limit: SHOWN, sort: 'username' } },
    { topics: ['user'] },
  );
  const items = query.data?.body.items ?? [];
  const withdraw = ({ id, username }: InvitationView) =>
    remove(
      routes.invitation.withdraw,
      { params: { invitation_id: id }, query: { project: project.id } },
      { done: text.done(username), stale: [routes.invitation.list, routes.user.list] },
    );
  if (items.length === 0) return null;
  return (
    <Section title={text.title}>
      <p className={layout.note}>{text.whatIsShown}</p>
      <ul className={lines.rows} aria-label={text.title}>
        {items.map((invitation) => (
          <li key={invitation.id} className={lines.row}>
            <span className={lines.grow}>
              <bdi>{invitation.username}</bdi>
            </span>
            <span>{invitation.role}</span>
            <span className={lines.dim}>
              {text.expires(<bdi>{invitation.invited_by}</bdi>, <Time at={invitation.expires_at} />)}
            </span>
            <RowActions
              of={invitation.username}
              actions={[
                {
                  word: text.withdraw,
                  label: text.withdrawOf(invitation.username),
                  confirm: {
                    title: text.question(invitation.username),
                    children: text.whatHappens,
                    isDangerous: true,
                    onConfirm: () => withdraw(invitation),
                  },
                },
              ]}
            />
          </li>
        ))}
      </ul>
    </Section>
  );
}

import type { OwnInvitationView } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { call, invalidate, loadSession, routes, useApi } from '../../api/index.ts';
import { RowActions, Section, sayDone, sayFailed, Time, useDelete, useSending } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import lines from '../../ui/rows.module.css';
import { texts } from './texts.tsx';

const text = texts.invitations;

/** An account receives no events of projects that it does not belong to. */
const REFRESH_MS = 30_000;
const STALE = [routes.invitation.listOwn, routes.profile.get];

/** Lists open invitations of this account. Renders nothing if there are none. */
export function Invitations() {
  const query = useApi(routes.invitation.listOwn, {}, { refetchEveryMs: () => REFRESH_MS });
  const items = query.data?.body.items ?? [];
  if (items.length === 0) return null;
  return (
    <Section title={text.title}>
      <p className={layout.note}>{text.whatItMeans}</p>
      <ul className={lines.rows} aria-label={text.title}>
        {items.map((invitation) => (
          <InvitationRow key={invitation.id} invitation={invitation} />
        ))}
      </ul>
    </Section>
  );
}

function InvitationRow({ invitation }: { invitation: OwnInvitationView }) {
  const { accept, decline } = useAnswer(invitation);
  const sending = useSending();
  const { project_name: project, role, invited_by: inviter, expires_at: end } = invitation;
  return (
    <li className={lines.row}>
      <span className={lines.grow}>
        <bdi>{project}</bdi>
        <span className={lines.hint}>{text.row(role, <bdi>{inviter}</bdi>, <Time at={end} />)}</span>
      </span>
      <Button
        size="compact-sm"
        loading={sending.isBusy}
        aria-label={text.acceptOf(project)}
        onClick={() => void sending.send(accept)}
      >
        {text.accept}
      </Button>
      <RowActions
        of={project}
        actions={[
          {
            word: text.decline,
            label: text.declineOf(project),
            confirm: { title: text.declineTitle(project), children: text.declineText, onConfirm: decline },
          },
        ]}
      />
    </li>
  );
}

/** Answers an invitation. An expired one disappears from the list, whatever the answer is. */
function useAnswer({ id, project_name: project, role }: OwnInvitationView) {
  const queryClient = useQueryClient();
  const remove = useDelete();
  const params = { invitation_id: id };
  return {
    accept: async () => {
      try {
        await call(routes.invitation.accept, { params });
        await loadSession();
        sayDone(text.accepted(project, role));
      } catch (error) {
        sayFailed(text.notAccepted, error);
      } finally {
        await invalidate(queryClient, ...STALE);
      }
    },
    decline: () => remove(routes.invitation.decline, { params }, { done: text.declined(project), stale: STALE }),
  };
}

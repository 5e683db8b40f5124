import type { OwnInvitationView } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, call, invalidate, loadSession, routes, useApi } from '../../api/index.ts';
import { texts } from '../../texts/index.ts';
import { Confirm, Section, sayDone, sayFailed, Time } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import lines from '../../ui/rows.module.css';
import classes from './profile.module.css';

const text = texts.profile.invitations;

/** An account gets no events of projects that it is not in. */
const REFRESH_MS = 30_000;

/** Open invitations of this account. Renders nothing without any. */
export function Invitations() {
  const query = useApi(routes.invitation.listOwn, {}, { refetchEveryMs: () => REFRESH_MS });
  const [declined, setDeclined] = useState<OwnInvitationView>();
  const answer = useAnswer();
  const items = query.data?.body.items ?? [];
  if (items.length === 0) return null;
  return (
    <Section title={text.title}>
      <p className={layout.note}>{text.whatItMeans}</p>
      <ul className={lines.rows} aria-label={text.title}>
        {items.map((invitation) => (
          <InvitationRow
            key={invitation.id}
            invitation={invitation}
            onAccept={() => answer.accept(invitation)}
            onDecline={() => setDeclined(invitation)}
          />
        ))}
      </ul>
      <Confirm
        opened={declined !== undefined}
        title={text.declineTitle(declined?.project_name ?? '')}
        action={text.decline}
        onClose={() => setDeclined(undefined)}
        onConfirm={async () => {
          if (declined) await answer.decline(declined);
        }}
      >
        {text.declineText}
      </Confirm>
    </Section>
  );
}

interface InvitationRowProps {
  readonly invitation: OwnInvitationView;
  readonly onAccept: () => Promise<void>;
  readonly onDecline: () => void;
}

function InvitationRow({ invitation, onAccept, onDecline }: InvitationRowProps) {
  const [isBusy, setBusy] = useState(false);
  const { project_name: project, role, invited_by: inviter, expires_at: end } = invitation;
  const accept = async () => {
    setBusy(true);
    try {
      await onAccept();
    } catch (error) {
      sayFailed(text.notAccepted, error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <li className={lines.row}>
      <span className={lines.grow}>
        <bdi>{project}</bdi>
        <span className={classes.under}>{text.row(role, <bdi>{inviter}</bdi>, <Time at={end} />)}</span>
      </span>
      <Button size="compact-sm" loading={isBusy} aria-label={text.acceptOf(project)} onClick={() => void accept()}>
        {text.accept}
      </Button>
      <Button variant="default" size="compact-sm" aria-label={text.declineOf(project)} onClick={onDecline}>
        {text.decline}
      </Button>
    </li>
  );
}

/** An expired one disappears from the list, whatever the answer. */
function useAnswer() {
  const queryClient = useQueryClient();
  const refresh = () => invalidate(queryClient, routes.invitation.listOwn, routes.profile.get);
  return {
    accept: async ({ id, project_name: project, role }: OwnInvitationView) => {
      try {
        await call(routes.invitation.accept, { params: { invitation_id: id } });
        await loadSession();
        sayDone(text.accepted(project, role));
      } finally {
        await refresh();
      }
    },
    decline: async ({ id, project_name: project }: OwnInvitationView) => {
      try {
        await call(routes.invitation.decline, { params: { invitation_id: id } });
        sayDone(text.declined(project));
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 404)) throw error;
      }
      await refresh();
    },
  };
}

import type { InvitationView } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, call, invalidate, routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { texts } from '../../texts/index.ts';
import { Confirm, Section, sayDone, Time } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import lines from '../../ui/rows.module.css';

const text = texts.users.invitations;

/** Maximum of a project. */
const SHOWN = 100;

/** Open invitations to the open project. Renders nothing without any. */
export function OpenInvitations() {
  const project = useProject();
  const queryClient = useQueryClient();
  const [withdrawn, setWithdrawn] = useState<InvitationView>();
  const query = useApi(
    routes.invitation.list,
    { query: { project: project.id, limit: SHOWN, sort: 'username' } },
    { topics: ['user'] },
  );
  const items = query.data?.body.items ?? [];
  const withdraw = async () => {
    if (!withdrawn) return;
    try {
      const params = { invitation_id: withdrawn.id };
      await call(routes.invitation.withdraw, { params, query: { project: project.id } });
      sayDone(text.done(withdrawn.username));
    } catch (error) {
      // Accepted or expired meanwhile: it is no longer open either way.
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    }
    await invalidate(queryClient, routes.invitation.list, routes.user.list);
  };
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
            <Button
              variant="default"
              size="compact-sm"
              aria-label={text.withdrawOf(invitation.username)}
              onClick={() => setWithdrawn(invitation)}
            >
              {text.withdraw}
            </Button>
          </li>
        ))}
      </ul>
      <Confirm
        opened={withdrawn !== undefined}
        title={text.question(withdrawn?.username ?? '')}
        action={text.withdraw}
        isDangerous
        onClose={() => setWithdrawn(undefined)}
        onConfirm={withdraw}
      >
        {text.whatHappens}
      </Confirm>
    </Section>
  );
}

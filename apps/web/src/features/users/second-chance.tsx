import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, invalidate, routes } from '../../api/index.ts';
import { useCan, useProject, useUser } from '../../app/project.tsx';
import { texts } from '../../texts/index.ts';
import { Confirm, sayDone, sayFailed } from '../../ui/index.ts';
import lines from '../../ui/rows.module.css';
import type { User } from './model.ts';

const { unlock, factor } = texts.users;

/** For a user who cannot sign in any more: too many wrong passwords, or a lost second factor. */
export function SecondChance({ user }: { user: User }) {
  const me = useUser();
  const can = useCan();
  const project = useProject();
  const queryClient = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const target = { params: { user_id: user.id }, query: me.is_owner ? {} : { project: project.id } };
  const forget = async () => {
    setBusy(true);
    try {
      await call(routes.userSession.unlock, target);
      sayDone(unlock.done(user.username));
    } catch (error) {
      sayFailed(unlock.failed, error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <li className={lines.row}>
        <span className={lines.grow}>
          {unlock.label} <span className={lines.hint}>{unlock.hint}</span>
        </span>
        <Button variant="default" loading={isBusy} onClick={() => void forget()}>
          {unlock.action}
        </Button>
      </li>
      {can(routes.secondFactor.resetUser) && (
        <li className={lines.row}>
          <span className={lines.grow}>
            {factor.label} <span className={lines.hint}>{factor.hint}</span>
          </span>
          <Button variant="default" aria-label={`${factor.action}: ${factor.label}`} onClick={() => setAsking(true)}>
            {factor.action}
          </Button>
          <Confirm
            opened={isAsking}
            title={factor.title(user.username)}
            action={factor.action}
            isDangerous
            onClose={() => setAsking(false)}
            onConfirm={async () => {
              await call(routes.secondFactor.resetUser, { params: target.params });
              sayDone(factor.done(user.username));
              await invalidate(queryClient, routes.userSession.list);
            }}
          >
            {factor.text}
          </Confirm>
        </li>
      )}
    </>
  );
}

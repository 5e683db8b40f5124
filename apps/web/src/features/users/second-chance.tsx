import { Button } from '@mantine/core';
import { useState } from 'react';
import { routes } from '../../api/index.ts';
import { useCan, useProject, useUser } from '../../app/project.tsx';
import { Confirm, sayFailed, useSending, useWrite } from '../../ui/index.ts';
import lines from '../../ui/rows.module.css';
import type { User } from './model.ts';
import { texts } from './texts.tsx';

const { unlock, factor } = texts;

/** Helps a user who can no longer sign in: too many wrong passwords, or a lost second factor. */
export function SecondChance({ user }: { user: User }) {
  const me = useUser();
  const can = useCan();
  const project = useProject();
  const write = useWrite();
  const sending = useSending();
  const [isAsking, setAsking] = useState(false);
  const target = { params: { user_id: user.id }, query: me.is_owner ? {} : { project: project.id } };
  const forget = () =>
    write(routes.userSession.unlock, target, { done: unlock.done(user.username) }).catch((error: unknown) =>
      sayFailed(unlock.failed, error),
    );
  return (
    <>
      <li className={lines.row}>
        <span className={lines.grow}>
          {unlock.label} <span className={lines.hint}>{unlock.hint}</span>
        </span>
        <Button variant="default" loading={sending.isBusy} onClick={() => void sending.send(forget)}>
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
            onConfirm={() =>
              write(
                routes.secondFactor.resetUser,
                { params: target.params },
                { done: factor.done(user.username), stale: [routes.userSession.list] },
              )
            }
          >
            {factor.text}
          </Confirm>
        </li>
      )}
    </>
  );
}

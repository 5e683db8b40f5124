import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError, call, invalidate, type Loaded, routes } from '../../api/index.ts';
import { ServiceLink } from '../../app/links.tsx';
import { useCan, useProject } from '../../app/project.tsx';
import { ifMatchOf } from '../../changes/index.ts';
import { Confirm, Notice, sayDone } from '../../ui/index.ts';
import type { Policy } from './model.ts';
import { texts } from './texts.tsx';

const text = texts.policyActions;

export function PolicyActions({ answer }: { answer: Loaded<Policy> }) {
  const { body: policy } = answer;
  const project = useProject();
  const can = useCan();
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      {can(routes.policy.create) && (
        <Button
          variant="default"
          renderRoot={(props) => (
            <Link
              to="/p/$project/policies/new"
              params={{ project: project.name }}
              search={{ from: policy.name }}
              {...props}
            />
          )}
        >
          {text.menu.copy}
        </Button>
      )}
      {can(routes.policy.remove) && (
        <>
          <Button variant="default" onClick={() => setAsking(true)}>
            {text.menu.delete}
          </Button>
          <DeletePolicy answer={answer} opened={isAsking} onClose={() => setAsking(false)} />
        </>
      )}
    </>
  );
}

interface DeletePolicyProps {
  readonly answer: Loaded<Policy>;
  readonly opened: boolean;
  readonly onClose: () => void;
}

function DeletePolicy({ answer: { body: policy, etag }, opened, onClose }: DeletePolicyProps) {
  const project = useProject();
  const navigate = useNavigate();
  const client = useQueryClient();
  const [users, setUsers] = useState<readonly Named[]>();
  const inUse = users ?? policy.services ?? [];
  const close = () => {
    setUsers(undefined);
    onClose();
  };
  const remove = async () => {
    try {
      await call(
        routes.policy.remove,
        { params: { name: policy.name }, query: { project: project.id } },
        { ifMatch: ifMatchOf({ etag, revision: policy.revision }) },
      );
    } catch (failure) {
      setUsers(usersOf(failure));
      throw failure;
    }
    sayDone(text.delete.done(policy.name));
    await navigate({ to: '/p/$project/policies', params: { project: project.name } });
    await invalidate(client, routes.policy.list);
  };
  return (
    <Confirm
      opened={opened}
      title={text.delete.question(policy.name)}
      action={text.delete.action}
      isDangerous
      isReady={inUse.length === 0}
      onConfirm={remove}
      onClose={close}
    >
      {inUse.length > 0 ? (
        <Notice tone="warn" title={text.delete.stillUsed}>
          {inUse.map((service, index) => (
            <span key={service.id}>
              {index > 0 && ', '}
              <ServiceLink id={service.id} name={service.name} />
            </span>
          ))}
        </Notice>
      ) : (
        text.delete.confirm
      )}
    </Confirm>
  );
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/** Returns the services that block the deletion, according to the refusal. */
function usersOf(failure: unknown): readonly Named[] | undefined {
  if (!(failure instanceof ApiError) || failure.code !== 'record.in_use') return undefined;
  const { users } = failure.body as { users?: readonly Named[] };
  return users;
}

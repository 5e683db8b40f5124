import type { CallOutput, discoveryTokenRoutes } from '@flotilla/contract';
import { Drawer } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ChangeSecret, MadeSecret } from '../../accounts/index.ts';
import { call, invalidate, routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from '../../texts/index.ts';

const text = texts.discoveryToken.rotate;

type Made = CallOutput<typeof discoveryTokenRoutes.generate>;

interface NewSecretProps {
  readonly isFirst: boolean;
  /** When the previous secret expires. */
  readonly endsAt: string | undefined;
}

/** Only this component holds the new secret. */
export function NewSecretDrawer({ isFirst, endsAt }: NewSecretProps) {
  const project = useProject();
  const queryClient = useQueryClient();
  const url = useUrlState();
  const [made, setMade] = useState<Made>();
  const close = () => {
    setMade(undefined);
    url.set({ change: undefined });
  };
  const send = async (overlap: number) => {
    const query = { project: project.id };
    setMade((await call(routes.discoveryToken.generate, { query, body: { overlap_s: overlap } })).body);
    void invalidate(queryClient, routes.discoveryToken.get);
  };
  // Once created, it is no longer the first.
  const title = made ? text.newTitle : isFirst ? text.firstTitle : text.title;
  return (
    <Drawer opened={url.get('change') === 'secret'} onClose={close} title={title}>
      {made ? (
        <MadeSecret
          secret={made.token}
          what={text.what}
          once={text.once}
          oldEnds={made.secrets[1]?.expires_at}
          onDone={close}
        />
      ) : (
        <ChangeSecret isFirst={isFirst} endsAt={endsAt} send={send}>
          {isFirst ? text.first : text.text}
        </ChangeSecret>
      )}
    </Drawer>
  );
}

import type { ApiTokenView } from '@flotilla/contract';
import { Drawer } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ChangeSecret, MadeSecret } from '../../accounts/index.ts';
import { call, invalidate, routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from '../../texts/index.ts';
import type { ApiToken } from './token-columns.tsx';
import type { CreatedToken } from './token-model.ts';

const text = texts.tokens.rotate;

/** `?rotate=<id>` opens it. Only this component holds the new secret. */
export function RotateToken({ tokens }: { tokens: readonly ApiToken[] }) {
  const url = useUrlState();
  const id = url.get('rotate');
  const close = () => url.set({ rotate: undefined });
  const token = tokens.find((one) => one.id === id);
  return (
    <Drawer opened={id !== undefined} onClose={close} title={text.title} size="lg">
      {token ? <Rotation key={token.id} token={token} onDone={close} /> : <p>{text.gone}</p>}
    </Drawer>
  );
}

function Rotation({ token, onDone }: { token: ApiTokenView; onDone: () => void }) {
  const project = useProject();
  const queryClient = useQueryClient();
  const [rotated, setRotated] = useState<CreatedToken>();
  const send = async (overlap: number) => {
    const at = { params: { token_id: token.id }, query: { project: project.id } };
    setRotated((await call(routes.apiToken.rotate, { ...at, body: { overlap_s: overlap } })).body);
    void invalidate(queryClient, routes.apiToken.list);
  };
  if (rotated)
    return (
      <MadeSecret
        secret={rotated.token}
        what={text.what}
        once={text.once}
        oldEnds={rotated.secrets[1]?.expires_at}
        onDone={onDone}
      />
    );
  return (
    <ChangeSecret send={send} endsAt={token.secrets[1]?.expires_at}>
      <bdi>{text.text(token.name)}</bdi>
    </ChangeSecret>
  );
}

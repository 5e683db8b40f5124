import { Drawer, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ChangeSecret } from '../../accounts/index.ts';
import { call, invalidate, routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from '../../texts/index.ts';
import { Time } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { EnrolCommand } from './enrol-command.tsx';
import type { CreatedToken, EnrolmentToken } from './model.ts';

const text = texts.clients.enrolmentTokens.rotate;

/** `?rotate=<id>` opens it. The new secret is in this component and nowhere else. */
export function RotateEnrolment({ tokens }: { tokens: readonly EnrolmentToken[] }) {
  const url = useUrlState();
  const id = url.get('rotate');
  const token = tokens.find((one) => one.id === id);
  return (
    <Drawer opened={id !== undefined} onClose={() => url.set({ rotate: undefined })} title={text.title} size="lg">
      {token ? <Rotation key={token.id} token={token} /> : <p>{text.gone}</p>}
    </Drawer>
  );
}

function Rotation({ token }: { token: EnrolmentToken }) {
  const project = useProject();
  const url = useUrlState();
  const queryClient = useQueryClient();
  const [rotated, setRotated] = useState<CreatedToken>();
  const send = async (overlap: number) => {
    const at = { params: { token_id: token.id }, query: { project: project.id } };
    setRotated((await call(routes.enrolment.rotateToken, { ...at, body: { overlap_s: overlap } })).body);
    void invalidate(queryClient, routes.enrolment.listTokens);
  };
  if (rotated) {
    const oldEnds = rotated.secrets[1]?.expires_at;
    return (
      <Stack gap="md">
        {oldEnds && (
          <p role="status" className={layout.note}>
            {texts.accounts.secret.oldEnds(<Time at={oldEnds} />)}
          </p>
        )}
        <EnrolCommand created={rotated} onAgain={() => url.set({ rotate: undefined, enrol: 'new' })} />
      </Stack>
    );
  }
  if (token.status !== 'open') return <p>{text.gone}</p>;
  return (
    <ChangeSecret send={send} endsAt={token.secrets[1]?.expires_at}>
      {token.note && <bdi>{text.of(token.note)}</bdi>} {text.text}
    </ChangeSecret>
  );
}

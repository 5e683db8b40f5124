import { Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ChangeSecret } from '../../accounts/index.ts';
import { texts as accountsTexts } from '../../accounts/texts.tsx';
import { type ApiList, call, invalidate, routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { Loaded, Time, UrlDrawer } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { EnrolCommand } from './enrol-command.tsx';
import { texts } from './enrolment-texts.tsx';
import type { CreatedToken, EnrolmentToken } from './model.ts';
import { useListedToken } from './use-listed-token.ts';

const text = texts.enrolmentTokens.rotate;
/** Default of the API: enrolment tokens live for an hour. */
const OVERLAP_DEFAULT_S = 3600;

/** `?rotate=<id>` opens it. */
export function RotateEnrolment({ list }: { list: ApiList<EnrolmentToken> }) {
  return (
    <UrlDrawer name="rotate" title={text.title} size="lg" holdsSecret>
      {(id) => <Rotation id={id} list={list} />}
    </UrlDrawer>
  );
}

/** Only this component holds the new secret. It stays visible when the token leaves the list, for example because a host joins. */
function Rotation({ id, list }: { id: string; list: ApiList<EnrolmentToken> }) {
  const url = useUrlState();
  const token = useListedToken(list, id);
  const [rotated, setRotated] = useState<CreatedToken>();
  if (rotated) {
    const oldEnds = rotated.secrets[1]?.expires_at;
    return (
      <Stack gap="md">
        {oldEnds && (
          <p role="status" className={layout.note}>
            {accountsTexts.secret.oldEnds(<Time at={oldEnds} />)}
          </p>
        )}
        <EnrolCommand created={rotated} onAgain={() => url.set({ rotate: undefined, enrol: 'new' })} />
      </Stack>
    );
  }
  const { error, isError, refetch } = list.query;
  return (
    <Loaded query={{ data: token, error, isError, refetch }} what={text.what}>
      {(found) => (found?.status === 'open' ? <Ask token={found} onRotated={setRotated} /> : <p>{text.gone}</p>)}
    </Loaded>
  );
}

function Ask({ token, onRotated }: { token: EnrolmentToken; onRotated: (rotated: CreatedToken) => void }) {
  const project = useProject();
  const queryClient = useQueryClient();
  const send = async (overlap: number) => {
    const at = { params: { token_id: token.id }, query: { project: project.id } };
    onRotated((await call(routes.enrolment.rotateToken, { ...at, body: { overlap_s: overlap } })).body);
    void invalidate(queryClient, routes.enrolment.listTokens);
  };
  return (
    <ChangeSecret
      send={send}
      endsAt={token.secrets[1]?.expires_at}
      overlapS={OVERLAP_DEFAULT_S}
      tokenEndsAt={token.expires_at}
    >
      {token.note ? text.whatStaysOf(<bdi>“{token.note}”</bdi>) : text.whatStays}
    </ChangeSecret>
  );
}

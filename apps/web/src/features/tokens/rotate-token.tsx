import type { ApiTokenView } from '@flotilla/contract';
import { RotateSecret } from '../../accounts/index.ts';
import { routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { useWrite } from '../../ui/index.ts';
import { texts } from './texts.tsx';

const text = texts.rotate;

/** Rotates the secret of a token. `token` is undefined if it no longer exists. */
export function RotateToken({ token, onDone }: { token: ApiTokenView | undefined; onDone: () => void }) {
  const project = useProject();
  const write = useWrite();
  if (!token) return <p>{text.gone}</p>;
  return (
    <RotateSecret
      what={text.what}
      once={text.once}
      endsAt={token.secrets[1]?.expires_at}
      onDone={onDone}
      send={async (overlap) => {
        const input = { params: { token_id: token.id }, query: { project: project.id }, body: { overlap_s: overlap } };
        const { body } = await write(routes.apiToken.rotate, input, { stale: [routes.apiToken.list] });
        return { secret: body.token, oldEnds: body.secrets[1]?.expires_at };
      }}
    >
      <bdi>{text.text(token.name)}</bdi>
    </RotateSecret>
  );
}

import { useState } from 'react';
import { RotateSecret } from '../../accounts/index.ts';
import { routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { UrlDrawer, useWrite } from '../../ui/index.ts';
import { texts } from './texts.ts';

const text = texts.rotate;

interface NewSecretProps {
  readonly isFirst: boolean;
  /** When the previous secret expires. */
  readonly endsAt: string | undefined;
}

/** Only the content of the drawer holds the new secret. */
export function NewSecretDrawer(props: NewSecretProps) {
  return (
    <UrlDrawer name="change" value="secret" title={props.isFirst ? text.firstTitle : text.title} holdsSecret>
      {(_, close) => <Rotation {...props} onDone={close} />}
    </UrlDrawer>
  );
}

function Rotation({ isFirst, endsAt, onDone }: NewSecretProps & { onDone: () => void }) {
  const project = useProject();
  const write = useWrite();
  // After its creation the secret is no longer the first.
  const [wasFirst] = useState(isFirst);
  return (
    <RotateSecret
      isFirst={wasFirst}
      endsAt={endsAt}
      what={text.what}
      once={text.once}
      onDone={onDone}
      send={async (overlap) => {
        const input = { query: { project: project.id }, body: { overlap_s: overlap } };
        const { body } = await write(routes.discoveryToken.generate, input, { stale: [routes.discoveryToken.get] });
        return { secret: body.token, oldEnds: body.secrets[1]?.expires_at, title: text.newTitle };
      }}
    >
      {wasFirst ? text.first : text.text}
    </RotateSecret>
  );
}

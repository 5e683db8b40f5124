import type { ApiTokenView } from '@flotilla/contract';
import { useMemo, useState } from 'react';
import { routes } from '../../api/index.ts';
import { useCan } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { ListPage, UrlDrawer } from '../../ui/index.ts';
import { NewToken } from './new-token.tsx';
import { RevokeToken } from './revoke-token.tsx';
import { RotateToken } from './rotate-token.tsx';
import { texts } from './texts.tsx';
import { createTokenColumns } from './token-columns.tsx';

/** `?create=token` and `?rotate=<id>` open the drawers. */
export function TokensPage() {
  const can = useCan();
  const { set } = useUrlState();
  const [revoked, setRevoked] = useState<ApiTokenView>();
  const canRevoke = can(routes.apiToken.delete);
  const canRotate = can(routes.apiToken.rotate);
  const columns = useMemo(
    () =>
      createTokenColumns({
        onRotate: canRotate ? ({ id }) => set({ rotate: id }, 'push') : undefined,
        onRevoke: canRevoke ? setRevoked : undefined,
      }),
    [canRotate, canRevoke, set],
  );
  return (
    <ListPage<ApiTokenView>
      words={texts.tokensPage}
      route={routes.apiToken.list}
      topics={['api_token', 'user']}
      columns={columns}
      create={{ route: routes.apiToken.create, opens: { create: 'token' } }}
    >
      {({ rows }) => (
        <>
          <NewToken />
          <UrlDrawer name="rotate" title={texts.rotate.title} size="lg" isAllowed={canRotate} holdsSecret>
            {(id, close) => <RotateToken token={rows.find((one) => one.id === id)} onDone={close} />}
          </UrlDrawer>
          <RevokeToken token={revoked} onClose={() => setRevoked(undefined)} />
        </>
      )}
    </ListPage>
  );
}

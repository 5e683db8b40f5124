import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { routes, useApiList } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from '../../texts/index.ts';
import { DataTable, Empty, Page, useTableState } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { NewTokenDrawer } from './new-token-drawer.tsx';
import { RevokeToken } from './revoke-token.tsx';
import { RotateToken } from './rotate-token.tsx';
import { type ApiToken, createTokenColumns } from './token-columns.tsx';

const text = texts.tokens.tokensPage;

/** `?create=token` opens the drawer. */
export function TokensPage() {
  const project = useProject();
  const can = useCan();
  const url = useUrlState();
  const state = useTableState();
  const [revoked, setRevoked] = useState<ApiToken>();
  const list = useApiList<ApiToken>(
    routes.apiToken.list,
    { query: { project: project.id, ...state.query } },
    { topics: ['api_token', 'user'] },
  );
  const canRevoke = can(routes.apiToken.delete);
  const canRotate = can(routes.apiToken.rotate);
  const open = url.set;
  const columns = useMemo(
    () =>
      createTokenColumns({
        onRotate: canRotate ? ({ id }) => open({ rotate: id }, 'push') : undefined,
        onRevoke: canRevoke ? setRevoked : undefined,
      }),
    [canRotate, canRevoke, open],
  );
  const canCreate = can(routes.apiToken.create);
  const create = () => url.set({ create: 'token' }, 'push');
  return (
    <Page
      title={text.title}
      lead={text.lead}
      isWide
      actions={
        canCreate && (
          <Button leftSection={<IconPlus size={14} />} onClick={create}>
            {text.create}
          </Button>
        )
      }
    >
      <div className={layout.stack}>
        <DataTable
          name={text.title}
          list={list}
          state={state}
          columns={columns}
          rowId={({ id }) => id}
          searches={text.searches}
          empty={
            <Empty title={text.emptyTitle} action={canCreate && <Button onClick={create}>{text.createFirst}</Button>}>
              {text.empty}
            </Empty>
          }
        />
      </div>
      {canCreate && <NewTokenDrawer />}
      {canRotate && <RotateToken tokens={list.rows} />}
      <RevokeToken token={revoked} onClose={() => setRevoked(undefined)} />
    </Page>
  );
}

import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { routes, useApiList } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { DataTable, Empty, Page, useTableState } from '../../ui/index.ts';
import { NewTokenDrawer } from './new-token-drawer.tsx';
import { RevokeToken } from './revoke-token.tsx';
import { RotateToken } from './rotate-token.tsx';
import { type ApiToken, createTokenColumns } from './token-columns.tsx';
import classes from './tokens.module.css';

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
      title="API tokens"
      lead="For programs that work in this project. A token has one role, at most that of its maker, and ends with the maker's account or membership."
      isWide
      actions={
        canCreate && (
          <Button leftSection={<IconPlus size={14} />} onClick={create}>
            Create an API token
          </Button>
        )
      }
    >
      <div className={classes.list}>
        <DataTable
          name="API tokens"
          list={list}
          state={state}
          columns={columns}
          rowId={({ id }) => id}
          searches="Name"
          empty={
            <Empty
              title="No API token yet"
              action={canCreate && <Button onClick={create}>Create the first API token</Button>}
            >
              With a token a script or pipeline calls the REST API of this project without anybody's password.
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

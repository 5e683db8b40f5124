import { useQueryClient } from '@tanstack/react-query';
import { call, invalidate, routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { Confirm, sayDone, Time, useKept } from '../../ui/index.ts';
import type { ApiToken } from './token-columns.tsx';
import classes from './tokens.module.css';

export function RevokeToken({ token, onClose }: { token: ApiToken | undefined; onClose: () => void }) {
  const project = useProject();
  const queryClient = useQueryClient();
  const shown = useKept(token);
  return (
    <Confirm
      opened={token !== undefined}
      title={`Revoke ${shown?.name ?? ''}?`}
      action="Revoke"
      isDangerous
      onClose={onClose}
      onConfirm={async () => {
        if (!token) return;
        await call(routes.apiToken.delete, { params: { token_id: token.id }, query: { project: project.id } });
        sayDone(`The API token ${token.name} is revoked.`);
        await invalidate(queryClient, routes.apiToken.list);
      }}
    >
      <ul className={classes.bullets}>
        <li>The next request with it is refused. It cannot be brought back.</li>
        <li>
          Last used: <Time at={shown?.last_used_at} />. Whatever uses it needs another one.
        </li>
      </ul>
    </Confirm>
  );
}

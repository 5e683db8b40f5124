import { useQueryClient } from '@tanstack/react-query';
import { call, invalidate, routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { texts } from '../../texts/index.ts';
import { Confirm, sayDone, Time, useKept } from '../../ui/index.ts';
import type { ApiToken } from './token-columns.tsx';
import classes from './tokens.module.css';

const text = texts.tokens.revokeToken;

export function RevokeToken({ token, onClose }: { token: ApiToken | undefined; onClose: () => void }) {
  const project = useProject();
  const queryClient = useQueryClient();
  const shown = useKept(token);
  return (
    <Confirm
      opened={token !== undefined}
      title={text.title(shown?.name ?? '')}
      action={text.action}
      isDangerous
      onClose={onClose}
      onConfirm={async () => {
        if (!token) return;
        await call(routes.apiToken.delete, { params: { token_id: token.id }, query: { project: project.id } });
        sayDone(text.done(token.name));
        await invalidate(queryClient, routes.apiToken.list);
      }}
    >
      <ul className={classes.bullets}>
        <li>{text.refusedFromNow}</li>
        <li>{text.lastUsedAt(<Time at={shown?.last_used_at} />)}</li>
      </ul>
    </Confirm>
  );
}

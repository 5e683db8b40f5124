import type { ApiTokenView } from '@flotilla/contract';
import { List } from '@mantine/core';
import { routes } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { ConfirmRecord, Time, useWrite } from '../../ui/index.ts';
import { texts } from './texts.tsx';

const text = texts.revokeToken;

export function RevokeToken({ token, onClose }: { token: ApiTokenView | undefined; onClose: () => void }) {
  const project = useProject();
  const write = useWrite();
  return (
    <ConfirmRecord
      of={token}
      title={({ name }) => text.title(name)}
      action={text.action}
      isDangerous
      onClose={onClose}
      onConfirm={({ id, name }) =>
        write(
          routes.apiToken.delete,
          { params: { token_id: id }, query: { project: project.id } },
          { done: text.done(name), stale: [routes.apiToken.list] },
        )
      }
    >
      {({ last_used_at: usedAt }) => (
        <List size="md" spacing={4}>
          <List.Item>{text.refusedFromNow}</List.Item>
          <List.Item>{text.lastUsedAt(<Time at={usedAt} />)}</List.Item>
        </List>
      )}
    </ConfirmRecord>
  );
}

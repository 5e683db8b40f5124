import type { ThreatFeed } from '@flotilla/contract';
import { useQueryClient } from '@tanstack/react-query';
import { call, invalidate, routes } from '../../api/index.ts';
import { texts } from '../../texts/index.ts';
import { Confirm, sayDone, useKept } from '../../ui/index.ts';

const text = texts.threatIntel.remove;

export function DeleteFeed({ feed, onClose }: { feed: ThreatFeed | undefined; onClose: () => void }) {
  const queryClient = useQueryClient();
  const shown = useKept(feed);
  return (
    <Confirm
      opened={feed !== undefined}
      title={text.title(shown?.name ?? '')}
      action={text.action}
      isDangerous
      onClose={onClose}
      onConfirm={async () => {
        if (!feed) return;
        await call(routes.threatIntel.delete, { params: { name: feed.name }, query: {} });
        sayDone(text.done(feed.name));
        await invalidate(queryClient, routes.threatIntel.list);
      }}
    >
      {text.text(shown?.entry_count ?? 0)}
    </Confirm>
  );
}

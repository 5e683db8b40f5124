import type { CallOutput, ThreatFeed, threatIntelRoutes } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { type Loaded as Answer, call, invalidate, routes, useApi } from '../../api/index.ts';
import { useCan } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from '../../texts/index.ts';
import { Empty, Facts, Loaded, Page, PlainTable, sayDone, sayFailed, Time } from '../../ui/index.ts';
import { DeleteFeed } from './delete-feed.tsx';
import { EntriesDrawer } from './entries-drawer.tsx';
import { createFeedColumns } from './feed-columns.tsx';
import { UploadDrawer } from './upload-drawer.tsx';

const text = texts.threatIntel;

type Feeds = Answer<CallOutput<typeof threatIntelRoutes.list>>;

/** `?add=feed` and `?replace=<name>` open the upload, `?feed=<name>` the entries of one. */
export function ThreatFeedsPage() {
  const can = useCan();
  const url = useUrlState();
  const found = useApi(routes.threatIntel.list, { query: {} }, { topics: ['setting'] });
  const canUpload = can(routes.threatIntel.upload);
  const add = () => url.set({ add: 'feed' }, 'push');
  const feeds = found.data?.body.feeds ?? [];
  return (
    <Page
      title={text.title}
      lead={text.lead}
      actions={
        canUpload &&
        feeds.length > 0 && (
          <Button leftSection={<IconPlus size={14} />} onClick={add}>
            {text.add.action}
          </Button>
        )
      }
    >
      <Loaded query={found} what={text.what}>
        {(answer) =>
          answer.body.feeds.length === 0 ? (
            <Empty title={text.empty.title} action={canUpload && <Button onClick={add}>{text.add.first}</Button>}>
              {text.empty.text}
            </Empty>
          ) : (
            <FeedList answer={answer} />
          )
        }
      </Loaded>
      {canUpload && <UploadDrawer feeds={feeds} isKnown={found.data !== undefined} />}
      <EntriesDrawer />
    </Page>
  );
}

function FeedList({ answer: { body, etag } }: { answer: Feeds }) {
  const can = useCan();
  const open = useUrlState().set;
  const queryClient = useQueryClient();
  const [deleted, setDeleted] = useState<ThreatFeed>();
  const canReplace = can(routes.threatIntel.replace);
  const canUpload = can(routes.threatIntel.upload);
  const canDelete = can(routes.threatIntel.delete);
  const columns = useMemo(() => {
    // All are sent, by the revision that was read: what somebody else has added meanwhile is not deleted by it.
    const change = async (feed: ThreatFeed) => {
      const feeds = body.feeds.map(({ name, enabled }) => ({
        name,
        enabled: name === feed.name ? !enabled : enabled,
      }));
      try {
        await call(
          routes.threatIntel.replace,
          { query: {}, body: { feeds } },
          etag === undefined ? {} : { ifMatch: etag },
        );
        sayDone(feed.enabled ? text.switchedOff(feed.name) : text.switchedOn(feed.name));
      } catch (error) {
        sayFailed(text.notSwitched, error);
      }
      await invalidate(queryClient, routes.threatIntel.list);
    };
    return createFeedColumns({
      onSwitch: canReplace ? (feed) => void change(feed) : undefined,
      onReplace: canUpload ? ({ name }) => open({ replace: name }, 'push') : undefined,
      onDelete: canDelete ? setDeleted : undefined,
    });
  }, [body.feeds, etag, canReplace, canUpload, canDelete, open, queryClient]);
  const counted = body.feeds.filter(({ enabled }) => enabled).reduce((sum, feed) => sum + feed.entry_count, 0);
  return (
    <>
      <Facts
        facts={[
          [text.total, text.number(counted)],
          [text.lastUpdate, <Time key="at" at={body.updated_at} />],
          [text.lastBy, <bdi key="by">{body.updated_by}</bdi>],
        ]}
      />
      <PlainTable name={text.list} rows={body.feeds} columns={columns} rowId={({ name }) => name} />
      <DeleteFeed feed={deleted} onClose={() => setDeleted(undefined)} />
    </>
  );
}

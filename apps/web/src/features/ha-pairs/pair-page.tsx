import type { HaPair } from '@flotilla/contract';
import { Button, Skeleton } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { routes } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { Notice, Page, RecordPage, type UrlTab, UrlTabs } from '../../ui/index.ts';
import { AddMemberDialog } from './add-member-dialog.tsx';
import { FailoverDialog } from './failover-dialog.tsx';
import { HistoryTab } from './history-tab.tsx';
import { STATUS_LOOKS } from './looks.ts';
import { MaintenanceDialog } from './maintenance-dialog.tsx';
import type { MemberView } from './model.ts';
import { OverviewTab } from './overview-tab.tsx';
import { PairState } from './pair-state.tsx';
import { ServicesTab } from './services-tab.tsx';
import { SettingsTab } from './settings-tab.tsx';
import { texts } from './texts.ts';
import { Unavailable } from './unavailable.tsx';
import { usePair, useUnavailable } from './use-pairs.ts';

const text = texts.page;

export function PairPage() {
  const { pairId } = useParams({ from: '/p/$project/ha-pairs/$pairId' });
  const project = useProject();
  const query = usePair(pairId);
  const isUnavailable = useUnavailable(query);
  const [dialog, setDialog] = useState<Dialog>();
  const link = (label: string) => (
    <Link to="/p/$project/ha-pairs" params={{ project: project.name }}>
      {label}
    </Link>
  );
  if (isUnavailable)
    return (
      <Page title={text.title} trail={[link(text.pairs)]}>
        <Unavailable onRetry={() => void query.refetch()} />
      </Page>
    );
  return (
    <RecordPage
      words={text}
      query={query}
      list={{ name: text.pairs, link }}
      title={({ name }) => name}
      beside={(pair) => <PairState pair={pair} />}
      actions={({ body }) => <PairActions pair={body} onOpen={setDialog} />}
      whyMissing={text.whyMissing}
      skeleton={<Skeleton height={420} />}
    >
      {({ body }) => (
        <>
          <PairNotices pair={body} />
          <UrlTabs label={text.tabs} tabs={listTabs(body, setDialog)} />
          <FailoverDialog pair={body} isOpen={dialog?.kind === 'failover'} onClose={() => setDialog(undefined)} />
          <AddMemberDialog pair={body} isOpen={dialog?.kind === 'add'} onClose={() => setDialog(undefined)} />
          <MaintenanceDialog
            pair={body}
            member={dialog?.kind === 'maintenance' ? dialog.member : undefined}
            onClose={() => setDialog(undefined)}
          />
        </>
      )}
    </RecordPage>
  );
}

type Dialog = { readonly kind: 'failover' | 'add' } | { readonly kind: 'maintenance'; readonly member: MemberView };

function PairActions({ pair, onOpen }: { pair: HaPair; onOpen: (dialog: Dialog) => void }) {
  const can = useCan();
  if (pair.vacancy)
    return can(routes.ha.addMember) && <Button onClick={() => onOpen({ kind: 'add' })}>{texts.member.add}</Button>;
  return (
    can(routes.ha.failover) && <Button onClick={() => onOpen({ kind: 'failover' })}>{texts.failover.action}</Button>
  );
}

/** Says why the status is not Live, and that a key is being replaced. */
function PairNotices({ pair }: { pair: HaPair }) {
  return (
    <>
      {pair.status !== 'live' && (
        <Notice tone={STATUS_LOOKS[pair.status].tone} title={texts.status[pair.status]}>
          {text.why(pair)}
        </Notice>
      )}
      {pair.state === 'rotating' && (
        <Notice tone="busy" title={text.rotating}>
          {text.rotatingText}
        </Notice>
      )}
    </>
  );
}

function listTabs(pair: HaPair, onOpen: (dialog: Dialog) => void): readonly UrlTab[] {
  return [
    {
      id: 'overview',
      label: text.overview,
      content: () => (
        <OverviewTab
          pair={pair}
          onMaintenance={(member) => onOpen({ kind: 'maintenance', member })}
          onAddMember={() => onOpen({ kind: 'add' })}
        />
      ),
    },
    { id: 'services', label: text.services, content: () => <ServicesTab pair={pair} /> },
    { id: 'history', label: text.history, content: () => <HistoryTab pair={pair} /> },
    { id: 'settings', label: text.settings, content: () => <SettingsTab pair={pair} /> },
  ];
}

import type { HaPair } from '@flotilla/contract';
import { Button, TextInput } from '@mantine/core';
import { IconPlus, IconSearch } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { Empty, Loaded, Page, type PlainColumn, PlainTable, State } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import classes from './ha-pairs.module.css';
import { BAD, QUIET, STATUS_LOOKS, WARN } from './looks.ts';
import { listMembers, matches, sortByUrgency } from './model.ts';
import { PairState, RoleState } from './pair-state.tsx';
import { texts } from './texts.ts';
import { Unavailable } from './unavailable.tsx';
import { usePairs, useUnavailable } from './use-pairs.ts';

const text = texts.list;
/** Fewer pairs need no search. */
const SEARCHED_FROM = 8;

const COLUMNS: readonly PlainColumn<HaPair>[] = [
  { id: 'name', header: text.name, isNarrow: true, cell: (pair) => <PairName pair={pair} /> },
  {
    id: 'status',
    header: text.status,
    isNarrow: true,
    cell: (pair) => (
      <>
        <PairState pair={pair} />
        {pair.status_reason && <div className={classes.reason}>{pair.status_reason}</div>}
      </>
    ),
  },
  { id: 'services', header: text.services, align: 'right', cell: (pair) => pair.service_count.toLocaleString('en') },
  {
    id: 'pending',
    header: text.pending,
    align: 'right',
    cell: (pair) => pair.sync.pending.length.toLocaleString('en'),
  },
  { id: 'alarms', header: text.alarms, cell: (pair) => <AlarmCount pair={pair} /> },
];

/** All pairs of the project, those with a problem first. */
export function PairsPage() {
  const query = usePairs();
  const isUnavailable = useUnavailable(query);
  return (
    <Page title={texts.title} lead={texts.lead} actions={!isUnavailable && <CreateLink icon />}>
      {isUnavailable ? (
        <Unavailable onRetry={() => void query.refetch()} />
      ) : (
        <Loaded query={query} what={texts.what}>
          {({ body: { items } }) => <PairList pairs={items} />}
        </Loaded>
      )}
    </Page>
  );
}

function PairList({ pairs }: { pairs: readonly HaPair[] }) {
  const url = useUrlState();
  const q = url.get('q') ?? '';
  if (pairs.length === 0)
    return (
      <Empty title={text.empty} action={<CreateLink word={text.emptyAction} />}>
        {text.emptyText}
      </Empty>
    );
  const found = pairs.filter((pair) => matches(pair, q));
  return (
    <div className={layout.stack}>
      {(pairs.length >= SEARCHED_FROM || q !== '') && (
        <TextInput
          type="search"
          aria-label={text.search}
          placeholder={text.searches}
          leftSection={<IconSearch size={14} />}
          maw={320}
          value={q}
          onChange={(event) => url.set({ q: event.currentTarget.value })}
        />
      )}
      {found.length === 0 ? (
        <p className={layout.note}>{text.nothingFits}</p>
      ) : (
        <PlainTable
          name={texts.title}
          rows={sortByUrgency(found, (status) => STATUS_LOOKS[status].tone)}
          columns={COLUMNS}
          rowId={({ id }) => id}
        />
      )}
    </div>
  );
}

function CreateLink({ word = texts.create, icon = false }: { word?: string; icon?: boolean }) {
  const project = useProject();
  const can = useCan();
  if (!can(routes.ha.create)) return null;
  return (
    <Button
      leftSection={icon && <IconPlus size={14} />}
      renderRoot={(props) => <Link {...props} to="/p/$project/ha-pairs/new" params={{ project: project.name }} />}
    >
      {word}
    </Button>
  );
}

function PairName({ pair }: { pair: HaPair }) {
  const project = useProject();
  return (
    <div className={classes.pairName}>
      <Link to="/p/$project/ha-pairs/$pairId" params={{ project: project.name, pairId: pair.id }}>
        <bdi>{pair.name}</bdi>
      </Link>
      <ul className={classes.memberLines}>
        {listMembers(pair).map((member) => (
          <li key={member.client_id}>
            <bdi>{member.name}</bdi> <RoleState member={member} />
            {!member.isConnected && <State word={texts.offline} {...BAD} />}
          </li>
        ))}
        {pair.vacancy && (
          <li>
            <State word={texts.vacant} {...QUIET} />
          </li>
        )}
      </ul>
    </div>
  );
}

function AlarmCount({ pair: { alarms = [] } }: { pair: HaPair }) {
  if (alarms.length === 0) return text.none;
  const look = alarms.some(({ level }) => level === 'error') ? BAD : WARN;
  return (
    <State
      word={text.alarmCount(alarms.length)}
      {...look}
      why={alarms.slice(0, 5).map(({ code, client_id: id, message }) => <div key={`${code} ${id}`}>{message}</div>)}
    />
  );
}

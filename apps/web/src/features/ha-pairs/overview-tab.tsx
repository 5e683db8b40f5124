import type { HaAlarm, HaMemberReport, HaPair } from '@flotilla/contract';
import { Empty, type PlainColumn, PlainTable, Section, State, Time } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import classes from './ha-pairs.module.css';
import { BAD, GOOD, QUIET, WARN } from './looks.ts';
import { MemberPanel, VacantPanel } from './member-panel.tsx';
import { type AddressRow, listAddresses, listMembers, type MemberView } from './model.ts';
import { texts } from './texts.ts';

interface OverviewTabProps {
  readonly pair: HaPair;
  readonly onMaintenance: (member: MemberView) => void;
  readonly onAddMember: () => void;
}

export function OverviewTab({ pair, onMaintenance, onAddMember }: OverviewTabProps) {
  const members = listMembers(pair);
  return (
    <div className={classes.sections}>
      <Alarms pair={pair} />
      <div className={classes.members}>
        {members.map((member) => (
          <MemberPanel key={member.client_id} pair={pair} member={member} onMaintenance={onMaintenance} />
        ))}
        {pair.vacancy && <VacantPanel vacancy={pair.vacancy} onAdd={onAddMember} />}
      </div>
      <Addresses pair={pair} members={members} />
      <Heartbeats members={members} />
    </div>
  );
}

const LEVELS = {
  error: BAD,
  warn: { tone: 'warn', shape: 'triangle' },
  info: QUIET,
} as const;
const LEVEL_ORDER = ['error', 'warn', 'info'];

function Alarms({ pair }: { pair: HaPair }) {
  const alarms = (pair.alarms ?? []).toSorted(
    (one, other) => LEVEL_ORDER.indexOf(one.level) - LEVEL_ORDER.indexOf(other.level),
  );
  if (alarms.length === 0) return null;
  const nameOf = (id: string | undefined) => pair.members.find(({ client_id }) => client_id === id)?.name;
  const columns: readonly PlainColumn<HaAlarm>[] = [
    {
      id: 'level',
      header: texts.alarms.levelTitle,
      isNarrow: true,
      cell: ({ level }) => <State word={texts.alarms.level[level]} {...LEVELS[level]} />,
    },
    { id: 'message', header: texts.alarms.message, isNarrow: true, cell: ({ message }) => message },
    {
      id: 'member',
      header: texts.alarms.member,
      isNarrow: true,
      cell: ({ client_id: id }) => <bdi>{nameOf(id) ?? texts.alarms.both}</bdi>,
    },
    { id: 'since', header: texts.alarms.since, cell: ({ since }) => <Time at={since} empty="–" /> },
  ];
  return (
    <Section title={texts.alarms.title}>
      <PlainTable
        name={texts.alarms.title}
        rows={alarms}
        columns={columns}
        rowId={({ code, client_id: id, message }) => `${code} ${id} ${message}`}
      />
    </Section>
  );
}

function Addresses({ pair, members }: { pair: HaPair; members: readonly MemberView[] }) {
  const text = texts.addresses;
  const rows = listAddresses(pair);
  const columns: readonly PlainColumn<AddressRow>[] = [
    { id: 'vip', header: text.address, isNarrow: true, cell: ({ vip }) => <span className="mono">{vip}</span> },
    { id: 'service', header: text.service, cell: ({ service }) => <bdi>{service ?? '–'}</bdi> },
    { id: 'holder', header: text.holder, isNarrow: true, cell: (row) => <Holder row={row} /> },
    ...members.map(
      ({ client_id: id, name }): PlainColumn<AddressRow> => ({
        id,
        header: name,
        isNarrow: true,
        cell: (row) => <Readiness vip={row.members[id]} />,
      }),
    ),
  ];
  return (
    <Section title={text.title}>
      {rows.length === 0 ? (
        <Empty title={text.none}>{text.noneText}</Empty>
      ) : (
        <PlainTable name={text.title} rows={rows} columns={columns} rowId={({ vip }) => vip} />
      )}
    </Section>
  );
}

function Holder({ row: { holders } }: { row: AddressRow }) {
  const [only, ...others] = holders;
  if (only === undefined) return <State word={texts.addresses.nobody} {...BAD} />;
  if (others.length > 0) return <State word={texts.addresses.conflict(holders)} {...BAD} />;
  return <bdi>{only}</bdi>;
}

function Readiness({ vip }: { vip: HaMemberReport['vips'][number] | undefined }) {
  const text = texts.addresses;
  if (!vip) return <State word={text.unreported} {...QUIET} />;
  if (!vip.present) return <State word={text.absent} {...BAD} />;
  if (!vip.healthy) return <State word={text.unhealthy} {...BAD} />;
  return vip.ready ? <State word={text.ready} {...GOOD} /> : <State word={text.notReady} {...WARN} />;
}

interface PathRow {
  readonly id: string;
  readonly member: string;
  readonly path: HaMemberReport['paths'][number];
}

function Heartbeats({ members }: { members: readonly MemberView[] }) {
  const text = texts.paths;
  const rows = members.flatMap(({ client_id: id, name, report }) =>
    (report?.paths ?? []).map((path): PathRow => ({ id: `${id} ${path.network}`, member: name, path })),
  );
  return (
    <Section title={text.title}>
      {rows.length === 0 ? (
        <p className={layout.note}>{text.none}</p>
      ) : (
        <PlainTable name={text.title} rows={rows} columns={PATH_COLUMNS} rowId={({ id }) => id} />
      )}
    </Section>
  );
}

const PATH_COLUMNS: readonly PlainColumn<PathRow>[] = [
  {
    id: 'path',
    header: texts.paths.path,
    isNarrow: true,
    cell: ({ member, path }) => (
      <>
        <bdi>{member}</bdi> · {texts.paths.networks[path.network]}
        <div className={classes.dim}>
          <span className="mono">{path.local}</span> → <span className="mono">{path.peer}</span>
        </div>
      </>
    ),
  },
  {
    id: 'state',
    header: texts.paths.state,
    isNarrow: true,
    cell: ({ path: { up } }) => <State word={up ? texts.paths.up : texts.paths.down} {...(up ? GOOD : BAD)} />,
  },
  {
    id: 'loss',
    header: texts.paths.loss,
    align: 'right',
    isNarrow: true,
    cell: ({ path }) => texts.percent(path.loss_pct),
  },
  { id: 'rtt', header: texts.paths.rtt, align: 'right', isNarrow: true, cell: ({ path }) => formatMs(path.rtt_ms) },
  { id: 'heard', header: texts.paths.heard, align: 'right', cell: ({ path }) => formatMs(path.last_rx_ms) },
];

function formatMs(ms: number | null): string {
  return ms === null ? '–' : texts.ms(ms);
}

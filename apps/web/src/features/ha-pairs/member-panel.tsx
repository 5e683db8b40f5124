import type { HaMemberReport, HaPair } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { useId } from 'react';
import { routes } from '../../api/index.ts';
import { ClientLink } from '../../app/links.tsx';
import { useCan } from '../../app/project.tsx';
import { Facts, State, Time } from '../../ui/index.ts';
import classes from './ha-pairs.module.css';
import { BAD, GOOD, QUIET, WARN } from './looks.ts';
import { MemberActions } from './member-actions.tsx';
import type { MemberView } from './model.ts';
import { RoleState } from './pair-state.tsx';
import { texts } from './texts.ts';

const text = texts.member;

interface MemberPanelProps {
  readonly pair: HaPair;
  readonly member: MemberView;
  readonly onMaintenance: (member: MemberView) => void;
}

/** One member: its role and everything that decides whether it can serve. */
export function MemberPanel({ pair, member, onMaintenance }: MemberPanelProps) {
  const id = useId();
  const { report, isFresh } = member;
  // An old report must not look like the state of now.
  const lookOf: LookOf = (look) => (isFresh ? look : QUIET);
  return (
    <section className={classes.member} aria-labelledby={id}>
      <div className={classes.memberHead}>
        <h2 id={id} className={classes.memberName}>
          <ClientLink id={member.client_id} name={member.name} />
        </h2>
        <RoleState member={member} />
      </div>
      {!report && <p className={classes.dim}>{text.noReport}</p>}
      {report && !member.isFresh && <p className={classes.dim}>{text.old}</p>}
      <Facts
        facts={[
          ...(report ? listRoleFacts(report, lookOf) : []),
          [text.connection, <Connection key="connection" isConnected={member.isConnected} />],
          ...(report ? listReadinessFacts(report, { pair, lookOf }) : []),
          [text.priority, member.priority],
        ]}
      />
      <MemberActions member={member} onMaintenance={onMaintenance} />
    </section>
  );
}

type Look = typeof GOOD;
type LookOf = (look: Look) => Look;
type Fact = readonly [string, React.ReactNode];

function Connection({ isConnected }: { isConnected: boolean }) {
  return isConnected ? <State word={texts.connected} {...GOOD} /> : <State word={texts.disconnected} {...BAD} />;
}

function listRoleFacts(report: HaMemberReport, lookOf: LookOf): Fact[] {
  return [
    [text.why, texts.reason(report.reason)],
    [text.since, <Time key="since" at={report.since} />],
    [text.term, report.epoch.toLocaleString('en')],
    [
      text.daemon,
      <State key="daemon" word={text.daemons[report.daemon]} {...lookOf(report.daemon === 'running' ? GOOD : BAD)} />,
    ],
  ];
}

function listReadinessFacts(
  report: HaMemberReport,
  { pair, lookOf }: { readonly pair: HaPair; readonly lookOf: LookOf },
): Fact[] {
  const ready = report.vips.filter((one) => one.ready).length;
  const isNewest = report.config_rev_applied === pair.config_rev;
  const hasPeer = pair.members.length > 1;
  return [
    [
      text.addresses,
      report.vips.length === 0 ? (
        text.none
      ) : (
        <State
          key="ready"
          word={text.ready(ready, report.vips.length)}
          {...lookOf(ready === report.vips.length ? GOOD : BAD)}
        />
      ),
    ],
    [text.gateway, <Gateway key="gateway" report={report} lookOf={lookOf} />],
    [text.peer, hasPeer ? describePeer(report, lookOf) : undefined],
    [text.dataplane, hasPeer ? text.dataplanes[report.peer_dataplane] : undefined],
    [
      text.revision,
      <State
        key="revision"
        word={text.revisionIs(report.config_rev_applied, pair.config_rev)}
        {...lookOf(isNewest ? GOOD : WARN)}
      />,
    ],
    [text.maintenance, report.maintenance ? texts.yes : texts.no],
    [text.skew, texts.ms(report.clock_skew_ms)],
    [text.version, report.daemon_version],
    [text.reported, <Time key="reported" at={report.reported_at} />],
  ];
}

function Gateway({ report, lookOf }: { report: HaMemberReport; lookOf: LookOf }) {
  if (!report.fencing_enabled) return <State word={text.noFencing} {...QUIET} />;
  if (report.gateway_reachable) return <State word={text.gatewayOk} {...lookOf(GOOD)} />;
  return <State word={text.gatewayBad} {...lookOf(BAD)} />;
}

function describePeer({ peer_ok: isHeard, peer_role: role }: HaMemberReport, lookOf: LookOf) {
  if (!isHeard) return <State word={text.peerSilent} {...lookOf(BAD)} />;
  return <State word={text.peerHeard(role ? texts.roles[role] : texts.unknown)} {...lookOf(GOOD)} />;
}

/** The empty slot of a pair, and the way to fill it. */
export function VacantPanel({ vacancy, onAdd }: { vacancy: NonNullable<HaPair['vacancy']>; onAdd: () => void }) {
  const can = useCan();
  const id = useId();
  return (
    <section className={classes.member} aria-labelledby={id}>
      <div className={classes.memberHead}>
        <h2 id={id} className={classes.memberName}>
          {text.vacancy}
        </h2>
        <State word={texts.vacant} {...QUIET} />
      </div>
      <p className={classes.dim}>{text.vacancyText(vacancy.priority)}</p>
      <Facts
        facts={[
          [text.vacantSince, vacancy.since ? <Time key="since" at={vacancy.since} /> : undefined],
          [text.why, vacancy.reason && (text.vacancyReasons[vacancy.reason] ?? vacancy.reason)],
        ]}
      />
      {can(routes.ha.addMember) && (
        <div>
          <Button onClick={onAdd}>{text.add}</Button>
        </div>
      )}
    </section>
  );
}

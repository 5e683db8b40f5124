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
  const { report } = member;
  return (
    <section className={classes.member} aria-labelledby={id}>
      <div className={classes.memberHead}>
        <h2 id={id} className={classes.memberName}>
          <ClientLink id={member.client_id} name={member.name} />
        </h2>
        <RoleState report={report} />
      </div>
      {!report && <p className={classes.dim}>{text.noReport}</p>}
      {report && !member.isConnected && <p className={classes.dim}>{text.old}</p>}
      <Facts
        facts={[
          ...(report ? listRoleFacts(report) : []),
          [text.connection, <Connection key="connection" isConnected={member.isConnected} />],
          ...(report ? listReadinessFacts(report, pair) : []),
          [text.priority, member.priority],
        ]}
      />
      <MemberActions member={member} onMaintenance={onMaintenance} />
    </section>
  );
}

type Fact = readonly [string, React.ReactNode];

function Connection({ isConnected }: { isConnected: boolean }) {
  return isConnected ? <State word={texts.connected} {...GOOD} /> : <State word={texts.disconnected} {...BAD} />;
}

function listRoleFacts(report: HaMemberReport): Fact[] {
  return [
    [text.why, texts.reason(report.reason)],
    [text.since, <Time key="since" at={report.since} />],
    [text.term, report.epoch.toLocaleString('en')],
    [
      text.daemon,
      <State key="daemon" word={text.daemons[report.daemon]} {...(report.daemon === 'running' ? GOOD : BAD)} />,
    ],
  ];
}

function listReadinessFacts(report: HaMemberReport, pair: HaPair): Fact[] {
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
          {...(ready === report.vips.length ? GOOD : BAD)}
        />
      ),
    ],
    [text.gateway, <Gateway key="gateway" report={report} />],
    [text.peer, hasPeer ? describePeer(report) : undefined],
    [text.dataplane, hasPeer ? text.dataplanes[report.peer_dataplane] : undefined],
    [
      text.revision,
      <State
        key="revision"
        word={text.revisionIs(report.config_rev_applied, pair.config_rev)}
        {...(isNewest ? GOOD : WARN)}
      />,
    ],
    [text.maintenance, report.maintenance ? texts.yes : texts.no],
    [text.skew, texts.ms(report.clock_skew_ms)],
    [text.version, report.daemon_version],
    [text.reported, <Time key="reported" at={report.reported_at} />],
  ];
}

function Gateway({
  report: { fencing_enabled: isFencing, gateway_reachable: isReachable },
}: {
  report: HaMemberReport;
}) {
  if (!isFencing) return <State word={text.noFencing} {...QUIET} />;
  return isReachable ? <State word={text.gatewayOk} {...GOOD} /> : <State word={text.gatewayBad} {...BAD} />;
}

function describePeer({ peer_ok: isHeard, peer_role: role }: HaMemberReport) {
  if (!isHeard) return <State word={text.peerSilent} {...BAD} />;
  return <State word={text.peerHeard(role ? texts.roles[role] : texts.unknown)} {...GOOD} />;
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
          [text.why, vacancy.reason],
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

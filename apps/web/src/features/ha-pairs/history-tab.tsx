import type { HaPair, HaRoleChange } from '@flotilla/contract';
import { Empty, Loaded, Section, State, Time } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import classes from './ha-pairs.module.css';
import { BAD, GOOD, QUIET, WARN } from './looks.ts';
import { texts } from './texts.ts';
import { useHistory } from './use-pairs.ts';

const text = texts.history;
const SHOWN = 200;

/** The changes of roles, newest first. */
export function HistoryTab({ pair }: { pair: HaPair }) {
  const found = useHistory(pair.id, { limit: SHOWN });
  return (
    <Section title={text.title}>
      <Loaded query={found} what={text.what}>
        {({ body: { items } }) =>
          items.length === 0 ? (
            <Empty title={text.none}>{text.noneText}</Empty>
          ) : (
            <>
              <ol className={classes.timeline} aria-label={text.title}>
                {items.map((change) => (
                  <Change key={`${change.client_id} ${change.at} ${change.role}`} change={change} />
                ))}
              </ol>
              {items.length === SHOWN && <p className={layout.note}>{text.shownAll(SHOWN)}</p>}
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

function Change({ change }: { change: HaRoleChange }) {
  return (
    <li className={classes.change}>
      <Time at={change.at} />
      <div>
        <div className={classes.changeHead}>
          <b>
            <bdi>{change.client}</bdi>
          </b>
          <span>{text.change(texts.roles[change.from], texts.roles[change.role])}</span>
          <span className={classes.dim}>{text.term(change.epoch)}</span>
          <Takeover failover={change.failover} />
          {change.stale_epoch && <State word={text.stale} {...WARN} />}
        </div>
        <div className={classes.dim}>{describeKnowledge(change)}</div>
      </div>
    </li>
  );
}

function describeKnowledge({ reason, peer_role, silent_ms, gateway_reachable }: HaRoleChange): string {
  return [
    texts.reason(reason),
    ...(reason === 'peer_dead' && silent_ms !== null ? [text.silent(texts.ms(silent_ms))] : []),
    ...(peer_role && reason !== 'peer_dead' ? [text.peer(texts.roles[peer_role])] : []),
    ...(gateway_reachable || reason === 'cut_off' ? [] : [text.cutOff]),
  ].join(' ');
}

const INVARIANTS = {
  kept: { word: text.kept, look: GOOD },
  violated: { word: text.violated, look: BAD },
  unknown: { word: text.unchecked, look: QUIET },
} as const;

/** The gap of a take-over, and whether the members had the addresses together for too long. */
export function Takeover({ failover }: Pick<HaRoleChange, 'failover'>) {
  if (!failover) return null;
  const { invariant, bound_ms: bound } = failover;
  const { word, look } = INVARIANTS[invariant];
  return (
    <>
      <Gap ms={failover.gap_ms} />
      <State word={word} {...look} why={explainInvariant(invariant, texts.seconds(bound))} />
    </>
  );
}

function explainInvariant(invariant: keyof typeof INVARIANTS, bound: string): string {
  if (invariant === 'unknown') return text.unknownMeaning;
  return invariant === 'kept' ? text.keptMeaning(bound) : text.violatedMeaning(bound);
}

function Gap({ ms }: { ms: number | null }) {
  if (ms === null) return <State word={text.gapUnknown} {...QUIET} why={text.unknownMeaning} />;
  if (ms < 0) return <State word={text.overlap(texts.ms(-ms))} {...WARN} why={text.overlapMeaning} />;
  return <State word={text.gap(texts.ms(ms))} {...GOOD} why={text.gapMeaning} />;
}

import type { InventoryFlag, InventoryOperation } from '@flotilla/contract';
import { Section, State, Time } from '../../../ui/index.ts';
import { EventsLink } from '../events-link.tsx';
import classes from '../inventory.module.css';
import { SEVERITY_LOOKS } from '../looks.ts';
import { texts as shared } from '../texts.tsx';
import { type FlagCatalogue, useRiskFlags } from '../use-inventory.ts';
import { texts } from './texts.tsx';

const text = texts.flags;

/** The flags of an operation with their reasons and remedies: active ones first. */
export function FlagList({ operation }: { operation: InventoryOperation }) {
  const catalogue = useRiskFlags();
  const flags = [...operation.threat_flags, ...operation.exposure_flags].toSorted(
    (a, b) => Number(b.active) - Number(a.active),
  );
  return (
    <Section title={text.title}>
      {flags.length === 0 ? (
        <p className={classes.dim}>{text.none}</p>
      ) : (
        <ul className={classes.cards}>
          {flags.map((flag) => (
            <FlagCard key={flag.flag} flag={flag} operationId={operation.id} catalogue={catalogue} />
          ))}
        </ul>
      )}
    </Section>
  );
}

interface FlagCardProps {
  readonly flag: InventoryFlag;
  readonly operationId: string;
  readonly catalogue: FlagCatalogue;
}

function FlagCard({ flag: { flag, severity, active, last_seen: at }, operationId, catalogue }: FlagCardProps) {
  const entry = catalogue.find(flag);
  return (
    <li className={classes.card} data-past={!active || undefined}>
      <div className={classes.cardHead}>
        <h3 className={classes.cardTitle}>{catalogue.titleOf(flag)}</h3>
        <State {...SEVERITY_LOOKS[severity]} />
        <span className={classes.dim}>{active ? text.active : text.past}</span>
        <span className={classes.dim}>{text.lastSeen(<Time at={at} />)}</span>
      </div>
      {entry && (
        <>
          <p>{entry.what}</p>
          <p className={classes.dim}>
            {[
              shared.axes[entry.axis],
              shared.classes[entry.class],
              ...(entry.owasp === null ? [] : [text.owasp(entry.owasp)]),
              entry.remedy === 'none' ? shared.remedies.none : text.fixedIn(shared.remedies[entry.remedy]),
            ].join(' · ')}
          </p>
          <details>
            <summary>{text.steps}</summary>
            <p>
              <b>{text.why}.</b> {entry.why}
            </p>
            <p>
              <b>{text.how}.</b> {entry.detected}
            </p>
            <ol>
              {entry.steps.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ol>
          </details>
          {!entry.derived && (
            <p>
              <EventsLink search={{ operation_id: operationId, risk_flag: flag, range: '7d' }}>
                {text.showEvents}
              </EventsLink>
            </p>
          )}
        </>
      )}
    </li>
  );
}

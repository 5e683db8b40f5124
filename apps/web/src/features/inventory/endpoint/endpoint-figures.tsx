import type { InventoryOperation } from '@flotilla/contract';
import { Duration, formatBytes, State, Time } from '../../../ui/index.ts';
import { Figure } from '../figure.tsx';
import classes from '../inventory.module.css';
import { formatLatency, POSTURE_LOOKS } from '../looks.ts';
import { ErrorRate, LastSeen } from '../operation-cells.tsx';
import { Score } from '../risk-cell.tsx';
import { texts as shared } from '../texts.tsx';
import { texts } from './texts.tsx';

const text = texts.figures;

/** The most important numbers of an operation. */
export function EndpointFigures({ operation }: { operation: InventoryOperation }) {
  const { auth_posture: posture, response_bytes_avg: average } = operation;
  const calls = operation.seen_count.toLocaleString('en');
  return (
    <dl className={`${classes.figures} ${classes.aligned}`} aria-label={text.title}>
      <Figure name={text.calls} note={text.within(<Duration since={operation.reset_at ?? operation.first_seen} />)}>
        {calls}
      </Figure>
      <Figure name={text.errors} note={text.errorCount(operation.error_count)}>
        <ErrorRate rate={operation.error_rate} />
      </Figure>
      <Figure name={text.latency}>{formatLatency(operation.latency_max_ms)}</Figure>
      <Figure name={text.threat} note={text.highest(operation.max_risk_score)}>
        <Score score={operation.active_risk_score} band={operation.active_risk_band} />
      </Figure>
      <Figure name={text.exposure} note={text.highest(operation.max_posture_score)}>
        <Score score={operation.active_posture_score} band={operation.active_posture_band} />
      </Figure>
      <Figure name={text.authentication}>
        <State {...POSTURE_LOOKS[posture]} why={shared.postureMeanings[posture]} />
      </Figure>
      <Figure
        name={text.sizes}
        note={
          average === null ? undefined : text.sizesNote(formatBytes(average), formatBytes(operation.response_bytes_max))
        }
      >
        {formatBytes(operation.response_bytes_total)}
      </Figure>
      <Figure name={text.blocked}>{operation.blocked_count.toLocaleString('en')}</Figure>
      <Figure name={text.lastSeen} note={text.first(<Time at={operation.first_seen} />)}>
        <LastSeen at={operation.last_seen} />
      </Figure>
    </dl>
  );
}

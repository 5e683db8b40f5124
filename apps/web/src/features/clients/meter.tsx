import { formatAgo, formatExact, Hint, type HintTarget } from '../../ui/index.ts';
import type { Gauge } from './gauge.ts';
import classes from './meter.module.css';
import { texts } from './texts.tsx';

const text = texts.meter;

/** Shows a share as a small bar with its exact number. Marks an old value with its age. */
export function Meter({ gauge, at }: { gauge: Gauge; at: string | null }) {
  if (at === null) return <span>{gauge.text}</span>;
  const render = (target?: HintTarget) => (
    <span className={classes.meter} {...target}>
      <span className={`${classes.bar} ${classes[gauge.tone] ?? ''}`} aria-hidden="true">
        <span className={classes.fill} style={{ width: `${gauge.fill}%` }} />
      </span>
      <span className={`${classes.value} ${gauge.isStale ? classes.stale : ''}`}>
        {gauge.text}
        {gauge.isStale && <span className="visually-hidden">{text.stale(formatAgo(Date.parse(at), Date.now()))}</span>}
      </span>
    </span>
  );
  if (!gauge.isStale) return render();
  return <Hint label={() => text.staleHint(formatAgo(Date.parse(at), Date.now()), formatExact(at))}>{render}</Hint>;
}

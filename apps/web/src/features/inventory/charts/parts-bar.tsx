import type { Tone } from '../../../ui/index.ts';
import { texts } from '../texts.tsx';
import classes from './charts.module.css';

export interface Part {
  readonly name: string;
  readonly count: number;
  readonly tone: Tone;
}

/** The parts of a whole as one bar, with a legend that says the same in words. Empty parts are left out. */
export function PartsBar({ name, parts }: { name: string; parts: readonly Part[] }) {
  const total = parts.reduce((sum, { count }) => sum + count, 0);
  const shown = parts.filter(({ count }) => count > 0);
  if (total === 0) return <span>{texts.noRequests}</span>;
  return (
    <div style={{ display: 'grid', gap: 6 }}>
      <div className={classes.parts} aria-hidden="true">
        {shown.map((part) => (
          <div key={part.name} className={classes[part.tone]} style={{ flexGrow: part.count }} />
        ))}
      </div>
      <ul className={classes.legend} aria-label={name}>
        {shown.map((part) => (
          <li key={part.name}>
            <span className={`${classes.swatch} ${classes[part.tone]}`} aria-hidden="true" />
            {texts.part(part.name, part.count.toLocaleString('en'), formatPercent(part.count / total))}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Never rounds some to none, nor nearly all to all. */
export function formatPercent(share: number | null): string {
  if (share === null) return texts.unknown;
  const percent = share * 100;
  if (percent > 0 && percent < 0.1) return '<0.1%';
  if (percent < 100 && percent > 99.9) return '>99.9%';
  return `${Number(percent.toFixed(1))}%`;
}

import { texts } from '../texts.tsx';
import classes from './charts.module.css';
import { formatPercent, type Part } from './parts-bar.tsx';
import { ShareBar } from './share-bar.tsx';

/** The parts of a whole, one below the other and in their order, also those that are empty. */
export function BarList({ name, parts }: { name: string; parts: readonly Part[] }) {
  const total = parts.reduce((sum, { count }) => sum + count, 0);
  const most = Math.max(1, ...parts.map(({ count }) => count));
  return (
    <dl className={classes.bars} aria-label={name}>
      {parts.map((part) => (
        <div key={part.name}>
          <dt>{part.name}</dt>
          <dd>
            <ShareBar share={part.count / most} tone={part.tone}>
              {texts.partOf(part.count.toLocaleString('en'), formatPercent(total === 0 ? null : part.count / total))}
            </ShareBar>
          </dd>
        </div>
      ))}
    </dl>
  );
}

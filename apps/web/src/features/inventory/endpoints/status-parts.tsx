import type { InventoryListener } from '@flotilla/contract';
import chart from '../charts/charts.module.css';
import { formatPercent } from '../charts/parts-bar.tsx';
import { STATUS_TONES } from '../looks.ts';
import { texts } from '../texts.tsx';

type Statuses = InventoryListener['status_dist'];
type StatusClass = keyof typeof STATUS_TONES;

/** The classes of statuses as one bar. Its name has the numbers. */
export function StatusParts({ statuses }: { statuses: Statuses }) {
  const parts = (Object.entries(statuses) as [StatusClass, number][]).filter(([, count]) => count > 0);
  const total = parts.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return texts.unknown;
  const name = parts
    .map(([kind, count]) =>
      texts.part(texts.statusClasses[kind] ?? kind, count.toLocaleString('en'), formatPercent(count / total)),
    )
    .join(', ');
  return (
    <div role="img" aria-label={name} title={name} className={chart.parts}>
      {parts.map(([kind, count]) => (
        <div key={kind} className={chart[STATUS_TONES[kind] ?? 'quiet']} style={{ flexGrow: count }} />
      ))}
    </div>
  );
}

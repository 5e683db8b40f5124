import type { TrafficGap } from '@flotilla/contract';
import { ClientLink, ServiceLink } from '../../app/links.tsx';
import { Notice, Time } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { texts } from './texts.tsx';

const text = texts.gaps;
const SHOWN = 5;

/** Says in which minutes requests were lost, and where. */
export function GapsNotice({ gaps }: { gaps: readonly TrafficGap[] }) {
  if (gaps.length === 0) return null;
  const batches = gaps.reduce((sum, one) => sum + one.batches, 0);
  const minutes = new Set(gaps.map(({ at }) => at.slice(0, 'YYYY-MM-DDTHH:MM'.length))).size;
  return (
    <Notice tone="warn" title={text.title(batches, minutes)}>
      <div>{text.text}</div>
      <details>
        <summary>{text.where}</summary>
        <ul className={layout.names}>
          {gaps.slice(0, SHOWN).map((gap) => (
            <li key={`${gap.at} ${gap.service_id} ${gap.client_id}`}>
              {text.line(
                <Time at={gap.at} />,
                <ServiceLink id={gap.service_id} name={gap.service_name ?? text.gone} />,
                <ClientLink id={gap.client_id} name={gap.client_name ?? text.gone} />,
                gap.batches,
              )}
            </li>
          ))}
        </ul>
        {gaps.length > SHOWN && <div>{text.more(gaps.length - SHOWN)}</div>}
      </details>
    </Notice>
  );
}

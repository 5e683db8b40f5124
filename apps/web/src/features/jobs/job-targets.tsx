import type { JobDetailView } from '@flotilla/contract';
import { Section, State } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import lines from '../../ui/rows.module.css';
import { texts } from './texts.ts';

const text = texts.errors;

/** Lists failed targets, and whether more failed than are kept. */
export function JobTargets({ job: { errors, errors_left_out: leftOut } }: { job: JobDetailView }) {
  if (errors.length === 0 && leftOut === 0) return null;
  return (
    <Section title={text.title}>
      <ul className={lines.rows} aria-label={text.title}>
        {errors.map(({ target, message, pending }) => (
          <li key={target} className={lines.row}>
            <bdi className={`${lines.grow} mono`}>{target}</bdi>
            <bdi className={lines.grow}>{message}</bdi>
            {pending && <State word={text.pending} />}
          </li>
        ))}
      </ul>
      {leftOut > 0 && <p className={layout.note}>{text.leftOut(leftOut)}</p>}
    </Section>
  );
}

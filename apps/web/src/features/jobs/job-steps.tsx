import type { JobDetailView } from '@flotilla/contract';
import { Section, State, Time, toWord } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import lines from '../../ui/rows.module.css';
import { texts } from './texts.ts';

const text = texts.steps;

/** Lists the steps that have started, in order. */
export function JobSteps({ job }: { job: JobDetailView }) {
  return (
    <Section title={text.title}>
      {job.steps.length === 0 ? (
        <p className={layout.note}>{text.none}</p>
      ) : (
        <ol className={lines.rows} aria-label={text.title}>
          {job.steps.map(({ name, status, attempt, started_at, ended_at, repeated }) => (
            <li key={name} className={lines.row}>
              <bdi className={lines.grow}>{toWord(name)}</bdi>
              {repeated && <State word={text.repeated} tone="warn" shape="half" why={text.whyRepeated} />}
              {attempt > 1 && <span className={lines.dim}>{text.attempt(attempt)}</span>}
              <State word={toWord(status)} />
              <span className={lines.dim}>
                <Time at={ended_at ?? started_at} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}

import { texts } from '../../texts/index.ts';
import { Section, Time } from '../../ui/index.ts';
import lines from '../../ui/rows.module.css';
import { describeData, dropPassedProgress, type JobEvent } from './job-model.ts';
import classes from './jobs.module.css';

const text = texts.jobs.events;
const SHOWN_MAX = 100;

/** The newest first. */
export function JobEvents({ events }: { events: readonly JobEvent[] }) {
  const shown = dropPassedProgress(events).slice(-SHOWN_MAX).reverse();
  return (
    <Section title={text.title}>
      {shown.length === 0 ? (
        <p className={classes.text}>{text.none}</p>
      ) : (
        <ol className={lines.rows} aria-label={text.title} aria-live="polite" reversed>
          {shown.map(({ seq, at, kind, data }) => (
            <li key={seq} className={lines.row}>
              <span className={lines.grow}>
                {text.words[kind] ?? kind} <bdi className={lines.dim}>{describeData(data)}</bdi>
              </span>
              <span className={lines.dim}>
                <Time at={at} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}

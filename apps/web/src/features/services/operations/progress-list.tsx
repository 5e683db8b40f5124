import { State, toWord } from '../../../ui/index.ts';
import classes from './operation.module.css';
import { explainOutcome, sortProgress, type TargetProgress } from './progress.ts';
import { StatusResult } from './status-result.tsx';
import { texts } from './texts.tsx';

const text = texts.progressList;

/** Maximum number of targets that are shown. Problems come first, so the omitted ones are fine. */
const SHOWN = 200;

/** Shows the outcome of each target; a failed one never hides another. */
export function ProgressList({ progress, label }: { progress: readonly TargetProgress[]; label: string }) {
  return (
    <ul className={classes.targets} aria-label={label}>
      {sortProgress(progress)
        .slice(0, SHOWN)
        .map((target) => (
          <li key={`${target.clientId} ${target.commandId}`} className={classes.target}>
            <bdi>{target.clientName}</bdi>
            <OutcomeState target={target} />
            <span className={classes.took}>{formatTook(target.durationMs)}</span>
            {target.error && <span className={`${classes.reason} ${classes.failed}`}>{target.error}</span>}
            {!target.error && (target.outcome === 'pending' || target.outcome === 'unknown') && (
              <span className={classes.reason}>{explainOutcome(target.outcome)}</span>
            )}
            {target.outcome === 'running' && target.step && <span className={classes.reason}>{target.step}</span>}
            <StatusResult result={target.result} />
          </li>
        ))}
      {progress.length > SHOWN && <li className={classes.target}>{text.list.andMore(progress.length - SHOWN)}</li>}
    </ul>
  );
}

function OutcomeState({ target: { outcome } }: { target: TargetProgress }) {
  const why = explainOutcome(outcome);
  if (outcome === 'running') return <State word={text.outcome.running} tone="busy" shape="arc" why={why} />;
  if (outcome === 'with errors') return <State word={text.outcome.withErrors} tone="bad" shape="triangle" why={why} />;
  if (outcome === 'unknown') return <State word={text.outcome.unknown} tone="warn" shape="half" why={why} />;
  return <State word={toWord(outcome)} why={why} />;
}

export function formatTook(ms: number): string {
  if (ms < 1000) return ms > 0 ? `${ms} ms` : '';
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : text.formatTook.minutes(Math.floor(ms / 60_000));
}

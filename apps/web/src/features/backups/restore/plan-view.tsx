import type { RestoreOutcome, RestoreResult, RestoreSummary } from '@flotilla/contract';
import type { ReactNode } from 'react';
import { Notice, toWord } from '../../../ui/index.ts';
import layout from '../../../ui/layout.module.css';
import { countWrites } from '../backup-model.ts';
import { texts } from '../texts.ts';

const text = texts.restore;
const SHOWN_MAX = 50;

/** The results of a dry run or of a restore, grouped by outcome. */
export function Results({ summary: { counts, results } }: { summary: RestoreSummary }) {
  const missing = results.filter(({ missing_secrets: paths = [] }) => paths.length > 0);
  return (
    <>
      <Outcome outcome="refused" total={counts.refused} results={results} />
      <Outcome outcome="created" total={counts.created} results={results} />
      <Outcome outcome="changed" total={counts.changed} results={results} />
      {missing.length > 0 && (
        <Group title={text.missing}>
          {missing.map(({ kind, name, missing_secrets: paths = [] }) => (
            <li key={`${kind} ${name}`}>
              {toWord(kind)}: <bdi className="mono">{name}</bdi> {paths.join(', ')}
            </li>
          ))}
        </Group>
      )}
      <Outcome outcome="skipped" total={counts.skipped} results={results} />
      {counts.unchanged > 0 && <Group title={text.outcomes.unchanged(counts.unchanged)} />}
    </>
  );
}

/** Shows the result of a dry run: what the restore would do, or why it would be refused. */
export function PlanView({ summary }: { summary: RestoreSummary }) {
  return (
    <>
      {summary.counts.refused > 0 && (
        <Notice tone="bad" title={text.refused}>
          {text.refusedText}
        </Notice>
      )}
      {countWrites(summary) === 0 && summary.counts.refused === 0 && <Notice tone="quiet" title={text.nothing} />}
      <Results summary={summary} />
    </>
  );
}

interface OutcomeProps {
  readonly outcome: RestoreOutcome;
  readonly total: number;
  /** Results of all outcomes. */
  readonly results: readonly RestoreResult[];
}

function Outcome({ outcome, total, results }: OutcomeProps) {
  if (total === 0) return null;
  const shown = results.filter((one) => one.outcome === outcome).slice(0, SHOWN_MAX);
  return (
    <Group title={text.outcomes[outcome](total)}>
      {shown.map(({ kind, name, reason }) => (
        <li key={`${kind} ${name}`}>
          {toWord(kind)}: <bdi className="mono">{name}</bdi>
          {reason !== undefined && <span className={layout.note}>: {reason}</span>}
        </li>
      ))}
      {total > shown.length && <li>{text.more(total - shown.length)}</li>}
    </Group>
  );
}

function Group({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div>
      <strong>{title}</strong>
      {children && <ul className={layout.names}>{children}</ul>}
    </div>
  );
}

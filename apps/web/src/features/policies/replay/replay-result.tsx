import type { ReplayReport } from '@flotilla/contract';
import { Button, SegmentedControl, Table } from '@mantine/core';
import { useState } from 'react';
import { Notice } from '../../../ui/index.ts';
import classes from './replay.module.css';
import { changedGroups, FLIPS, findGaps, flipWords, headline } from './replay-words.ts';
import { texts } from './texts.tsx';

const text = texts.replayResult;

type Sample = ReplayReport['samples'][number];

const VIEWS = [
  { value: 'by_route', label: text.views.route },
  { value: 'by_engine', label: text.views.engine },
  { value: 'by_reason', label: text.views.reason },
  { value: 'by_client', label: text.views.client },
  { value: 'by_host', label: text.views.host },
] as const;
const SAMPLES_SHOWN = 12;

interface ReplayResultProps {
  readonly report: ReplayReport;
  readonly onTry: ((sample: Sample) => void) | undefined;
}

/** Shows changed verdicts, where they occur, and what the records leave open. */
export function ReplayResult({ report, onTry }: ReplayResultProps) {
  const { totals, samples, bad_records: bad } = report;
  const gaps = findGaps(report);
  return (
    <div className={classes.result} aria-live="polite">
      <Notice
        tone={totals.requests === 0 ? 'warn' : totals.allow_to_block > 0 || totals.block_to_allow > 0 ? 'warn' : 'good'}
        title={headline(report)}
      >
        <ul className={classes.flips}>
          {FLIPS.filter((flip) => totals[flip] > 0).map((flip) => (
            <li key={flip}>
              <strong>{totals[flip].toLocaleString()}</strong> {flipWords(flip).toLowerCase()}
            </li>
          ))}
        </ul>
      </Notice>
      {gaps.length > 0 && (
        <div>
          <h3>{text.result.gaps}</h3>
          <ul className={classes.list}>
            {gaps.map((gap) => (
              <li key={gap}>{gap}</li>
            ))}
          </ul>
          {bad.length > 0 && (
            <details>
              <summary className={classes.more}>{text.result.summary}</summary>
              <ul className={classes.list}>
                {bad.map(({ line, why }) => (
                  <li key={`${line} ${why}`}>{text.result.lineWhy(line, why)}</li>
                ))}
              </ul>
            </details>
          )}
        </div>
      )}
      {totals.flips > 0 && <Groups report={report} />}
      {samples.length > 0 && <Samples samples={samples} onTry={onTry} />}
    </div>
  );
}

function Groups({ report }: { report: ReplayReport }) {
  const [view, setView] = useState<(typeof VIEWS)[number]['value']>('by_route');
  const groups = changedGroups(report[view].groups);
  return (
    <div>
      <div className={classes.bar}>
        <h3>{text.groups.changesBy}</h3>
        <SegmentedControl
          size="xs"
          aria-label={text.groups.changesBy}
          data={VIEWS.map((each) => ({ ...each }))}
          value={view}
          onChange={(next) => setView(next as typeof view)}
        />
      </div>
      <section className={classes.scroll} tabIndex={0} aria-label={text.groups.changes}>
        <Table fz="sm" verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{VIEWS.find(({ value }) => value === view)?.label}</Table.Th>
              <Table.Th ta="right">{text.groups.requests}</Table.Th>
              {FLIPS.map((flip) => (
                <Table.Th key={flip} ta="right">
                  {flipWords(flip)}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {groups.map((group) => (
              <Table.Tr key={group.name}>
                <Table.Td className={classes.name}>
                  <bdi className="mono">{group.name || 'none'}</bdi>
                </Table.Td>
                <Table.Td className={classes.number}>{group.requests.toLocaleString()}</Table.Td>
                {FLIPS.map((flip) => (
                  <Table.Td key={flip} className={classes.number}>
                    {group[flip] === 0 ? '–' : group[flip].toLocaleString()}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </section>
      {report[view].others.flips > 0 && (
        <p className={classes.dimmed}>{text.groups.others(report[view].others.flips.toLocaleString())}</p>
      )}
    </div>
  );
}

function Samples({ samples, onTry }: { samples: readonly Sample[]; onTry: ReplayResultProps['onTry'] }) {
  return (
    <div>
      <h3>{text.samples.title}</h3>
      <ul className={classes.samples}>
        {samples.slice(0, SAMPLES_SHOWN).map((sample) => (
          <li key={`${sample.file} ${sample.line} ${sample.flip}`}>
            <span className={classes.flip}>{flipWords(sample.flip)}</span>
            <span className={`mono ${classes.name}`}>
              {sample.method} <bdi>{`${sample.host}${sample.path}`}</bdi>
            </span>
            <span className={classes.dimmed}>
              {sample.baseline.reason ?? sample.baseline.verdict} →{' '}
              {sample.candidate.reason ?? sample.candidate.verdict}
              {sample.source_ip !== '' && text.samples.from(sample.source_ip)}
              {sample.is_undetermined && text.samples.undetermined}
            </span>
            {onTry && (
              <Button
                variant="subtle"
                size="compact-xs"
                aria-label={text.samples.tryOne(sample.method, sample.host, sample.path)}
                onClick={() => onTry(sample)}
              >
                {text.samples.try}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

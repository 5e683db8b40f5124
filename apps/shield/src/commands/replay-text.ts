import type { ReplayGroups, ReplayReport, ReplayVerdict } from '@flotilla/decision';
import { renderTable, show } from './text-table.ts';

const GROUPS_SHOWN = 15;

/** Formats a replay's report for people. */
export function renderReplay(report: ReplayReport): string {
  const { totals, baseline } = report;
  const against = baseline.kind === 'policy' ? 'the baseline policy' : 'what was answered then';
  return [
    `${totals.flips} of ${totals.requests} verdicts differ from ${against}.\n`,
    renderTotals(report),
    renderGroups('BY ROUTE', report.by_route),
    renderGroups('BY ENGINE', report.by_engine),
    renderGroups('BY REASON', report.by_reason),
    renderGroups('BY CLIENT', report.by_client),
    renderSamples(report),
    renderGaps(report),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function renderTotals({ totals, from, to, baseline: { kind } }: ReplayReport): string {
  const { baseline, candidate } = totals;
  // A recorded response shows a block, but not a detection.
  const detections = (count: number) => (kind === 'recorded' ? 'unknown' : String(count));
  const outcomes = renderTable([
    ['', 'allowed', 'blocked', 'detected'],
    ['before', ...[baseline.allowed, baseline.blocked].map(String), detections(baseline.detected)],
    ['after', ...[candidate.allowed, candidate.blocked, candidate.detected].map(String)],
  ]);
  const flips = renderTable([
    ['allowed, would be blocked', String(totals.allow_to_block)],
    ['blocked, would be allowed', String(totals.block_to_allow)],
    ['blocked for another reason', String(totals.other_reason)],
    ['detections differ', detections(totals.detection_changed)],
  ]);
  return `${from === null ? '' : `  from ${from} to ${to}\n`}${outcomes}\n${flips}`;
}

function renderGroups(title: string, { groups, others }: ReplayGroups): string {
  const changed = groups
    .map((group) => ({ group, flips: flipsOf(group) }))
    .filter(({ flips }) => flips > 0)
    .slice(0, GROUPS_SHOWN);
  if (changed.length === 0) return '';
  const rows = changed.map(({ group, flips }) => [
    show(group.name, 80),
    `${flips} of ${group.requests}`,
    `+${group.allow_to_block} blocked`,
    `-${group.block_to_allow} allowed`,
  ]);
  const rest = others.flips > 0 ? [['others', `${others.flips} of ${others.requests}`]] : [];
  return `${title}\n${renderTable([...rows, ...rest])}`;
}

function flipsOf(group: ReplayGroups['groups'][number]): number {
  return group.allow_to_block + group.block_to_allow + group.other_reason + group.detection_changed;
}

function renderSamples({ samples }: ReplayReport): string {
  if (samples.length === 0) return '';
  const rows = samples.map((sample) => [
    `${show(sample.file, 60)}:${sample.line}`,
    `${show(sample.method, 10)} ${show(sample.host, 40)}${show(sample.path, 60)}`,
    sample.source_ip,
    `${describeVerdict(sample.baseline)} -> ${describeVerdict(sample.candidate)}`,
  ]);
  return `FOR EXAMPLE\n${renderTable(rows)}`;
}

function describeVerdict({ verdict, reason }: ReplayVerdict): string {
  return reason === null ? verdict : `${verdict} (${reason})`;
}

/** Lists what the records do not contain, so that the report shows its own limits. */
function renderGaps({ totals, missing, bad_records }: ReplayReport): string {
  const rows: string[][] = [];
  const add = (count: number, text: string) => {
    if (count > 0) rows.push([String(count), text]);
  };
  add(totals.undetermined, 'requests might be blocked for want of something that their records do not carry:');
  for (const { what, engine, requests } of missing) rows.push(['', `${engine} asked for ${show(what)} (${requests})`]);
  add(totals.without_time, 'records carry no time: rate limits say nothing about them');
  add(totals.out_of_order, 'records come too late to be put in order: rate limits see them later than they came');
  add(totals.without_status, 'records carry no answer: they count as allowed then');
  add(totals.bad_records, 'lines are no records:');
  for (const { file, line, why } of bad_records) rows.push(['', `${show(file, 60)}:${line} ${why}`]);
  return rows.length === 0 ? '' : `WHAT THE RECORDS DO NOT TELL\n${renderTable(rows)}`;
}

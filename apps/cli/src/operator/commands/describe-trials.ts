import type { CallOutput, Explanation, ReplayReport, shieldTrialRoutes } from '@flotilla/contract';
import { printable, renderTable } from '../output.ts';

export function describeExplanation(told: CallOutput<typeof shieldTrialRoutes.try>): string {
  const { match, request, answer, engines, warnings } = told;
  type Row = Explanation['engines'][number];
  const columns = [
    { title: 'engine', value: (row: Row) => row.engine },
    { title: 'phase', value: (row: Row) => row.phase },
    { title: 'policy', value: (row: Row) => row.policy },
    { title: 'route', value: (row: Row) => row.route },
    { title: 'verdict', value: (row: Row) => row.verdict },
    { title: 'effect', value: (row: Row) => row.effect },
    { title: 'reason', value: (row: Row) => row.reason },
    { title: 'subject', value: (row: Row) => row.subject },
    { title: 'detail', value: (row: Row) => row.detail },
  ];
  const domain = match.domain ? `${match.domain.entry} of policy ${match.domain.policy}` : 'none: nothing guards it';
  const readings = match.readings.map(({ path, route }) => `${path} -> ${route ?? 'the domain itself'}`);
  const lines = [
    printable(told.summary),
    '',
    printable(`request  ${request.method} ${request.host} ${request.path}`),
    printable(`source   ${request.source_ip || '-'} (${request.source_ip_from})`),
    printable(`domain   ${domain}`),
    ...readings.map((reading) => printable(`path     ${reading}`)),
    ...(answer === null ? [] : [printable(`answer   ${answer.status}`)]),
    ...(told.body.state === 'none' ? [] : [`body     ${told.body.state}`]),
    ...(engines.length === 0 ? [] : ['', renderTable(columns, engines)]),
    ...warnings.map(({ file, line, field, message }) => printable(`warning  ${file}:${line}: ${field}: ${message}`)),
  ];
  return lines.join('\n');
}

const SAMPLES_SHOWN = 20;

export function describeReport(report: ReplayReport): string {
  const { totals, samples, missing, bad_records: bad } = report;
  type Sample = ReplayReport['samples'][number];
  const told = ({ verdict, reason }: Sample['baseline']) => (reason === null ? verdict : `${verdict} ${reason}`);
  const columns = [
    { title: 'flip', value: (row: Sample) => row.flip.replaceAll('_', ' ') },
    { title: 'method', value: (row: Sample) => row.method },
    { title: 'host', value: (row: Sample) => row.host },
    { title: 'path', value: (row: Sample) => row.path },
    { title: 'source', value: (row: Sample) => row.source_ip },
    { title: 'before', value: (row: Sample) => told(row.baseline) },
    { title: 'after', value: (row: Sample) => told(row.candidate) },
    { title: 'record', value: (row: Sample) => `${row.file}:${row.line}` },
  ];
  const { baseline, candidate } = totals;
  // An answer tells a block, and not what was only recorded.
  const isRecorded = report.baseline.kind === 'recorded';
  const lines = [
    `${totals.flips} of ${totals.requests} verdicts would differ`,
    `  allowed, would be blocked   ${totals.allow_to_block}`,
    `  blocked, would be allowed   ${totals.block_to_allow}`,
    `  blocked for another reason  ${totals.other_reason}`,
    `  detections differ           ${isRecorded ? 'unknown' : totals.detection_changed}`,
    `blocked     before ${baseline.blocked}, after ${candidate.blocked}`,
    `detected    before ${isRecorded ? 'unknown' : baseline.detected}, after ${candidate.detected}`,
    ...(totals.undetermined === 0 ? [] : [`unclear     ${totals.undetermined}, for what the records do not hold:`]),
    ...missing.map(({ what, engine, requests }) => printable(`  ${what} (${engine}): ${requests}`)),
    ...(totals.bad_records === 0 ? [] : [`unreadable  ${totals.bad_records}`]),
    ...bad.slice(0, SAMPLES_SHOWN).map(({ file, line, why }) => printable(`  ${file}:${line}: ${why}`)),
  ];
  const shown = samples.slice(0, SAMPLES_SHOWN);
  return shown.length === 0 ? lines.join('\n') : `${lines.join('\n')}\n\n${renderTable(columns, shown)}`;
}

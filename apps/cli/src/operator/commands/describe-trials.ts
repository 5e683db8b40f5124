import type { CallOutput, Explanation, ReplayReport, shieldTrialRoutes } from '@flotilla/contract';
import { type Columns, printable, renderTable } from '../output.ts';

export function describeExplanation(explanation: CallOutput<typeof shieldTrialRoutes.try>): string {
  const { match, request, answer, engines, warnings } = explanation;
  type Row = Explanation['engines'][number];
  const columns: Columns<Row> = {
    engine: 'engine',
    phase: 'phase',
    policy: 'policy',
    route: 'route',
    verdict: 'verdict',
    effect: 'effect',
    reason: 'reason',
    subject: 'subject',
    detail: 'detail',
  };
  const domain = match.domain ? `${match.domain.entry} of policy ${match.domain.policy}` : 'none: no policy covers it';
  const readings = match.readings.map(({ path, route }) => `${path} -> ${route ?? 'the domain itself'}`);
  const lines = [
    printable(explanation.summary),
    '',
    printable(`request  ${request.method} ${request.host} ${request.path}`),
    printable(`source   ${request.source_ip || '-'} (${request.source_ip_from})`),
    printable(`domain   ${domain}`),
    ...readings.map((reading) => printable(`path     ${reading}`)),
    ...(answer === null ? [] : [printable(`answer   ${answer.status}`)]),
    ...(explanation.body.state === 'none' ? [] : [`body     ${explanation.body.state}`]),
    ...(engines.length === 0 ? [] : ['', renderTable(columns, engines)]),
    ...warnings.map(({ file, line, field, message }) => printable(`warning  ${file}:${line}: ${field}: ${message}`)),
  ];
  return lines.join('\n');
}

const SAMPLES_SHOWN = 20;

export function describeReport(report: ReplayReport): string {
  const { totals, samples, missing, bad_records: bad, traffic } = report;
  type Sample = ReplayReport['samples'][number];
  const describe = ({ verdict, reason }: Sample['baseline']) => (reason === null ? verdict : `${verdict} ${reason}`);
  const columns: Columns<Sample> = {
    flip: (row: Sample) => row.flip.replaceAll('_', ' '),
    method: 'method',
    host: 'host',
    path: 'path',
    source: 'source_ip',
    before: (row: Sample) => describe(row.baseline),
    after: (row: Sample) => describe(row.candidate),
    record: (row: Sample) => `${row.file}:${row.line}`,
  };
  const { baseline, candidate } = totals;
  // A recorded response shows whether a request was blocked, but not whether something was detected.
  const isRecorded = report.baseline.kind === 'recorded';
  const lines = [
    `${totals.flips} of ${totals.requests} verdicts would differ`,
    `  allowed, would be blocked   ${totals.allow_to_block}`,
    `  blocked, would be allowed   ${totals.block_to_allow}`,
    `  blocked for another reason  ${totals.other_reason}`,
    `  detections differ           ${isRecorded ? 'unknown' : totals.detection_changed}`,
    `blocked     before ${baseline.blocked}, after ${candidate.blocked}`,
    `detected    before ${isRecorded ? 'unknown' : baseline.detected}, after ${candidate.detected}`,
    ...(totals.undetermined === 0 ? [] : [`unclear     ${totals.undetermined}, because the records lack data:`]),
    ...missing.map(({ what, engine, requests }) => printable(`  ${what} (${engine}): ${requests}`)),
    ...(traffic === undefined
      ? []
      : [
          `traffic     ${traffic.events} events for ${traffic.requests} of ${traffic.total_requests} requests${traffic.truncated ? ', the newest ones' : ''}`,
          ...report.by_client.groups
            .filter((group) => group.allow_to_block > 0)
            .map((group) => printable(`  ${group.name}: ${group.allow_to_block} of ${group.requests} blocked`)),
        ]),
    ...(totals.bad_records === 0 ? [] : [`unreadable  ${totals.bad_records}`]),
    ...bad.slice(0, SAMPLES_SHOWN).map(({ file, line, why }) => printable(`  ${file}:${line}: ${why}`)),
  ];
  const shown = samples.slice(0, SAMPLES_SHOWN);
  return shown.length === 0 ? lines.join('\n') : `${lines.join('\n')}\n\n${renderTable(columns, shown)}`;
}

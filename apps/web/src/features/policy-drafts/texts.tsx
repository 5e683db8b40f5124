import type { PolicyDetections, PolicyDraft, PolicyDraftPart } from '@flotilla/contract';
import { count } from '../../ui/count.ts';

type Skip = PolicyDraft['skipped'][number]['reason'];
type FindingSkip = PolicyDraft['skipped_findings'][number]['reason'];
type Check = PolicyDetections['checks'][number]['check'];

const number = (value: number) => value.toLocaleString('en');

export const texts = {
  draft: {
    title: 'Draft a policy',
    lead: 'The controller drafts a security policy from the recorded traffic. Nothing is stored until you save it.',
    what: 'the draft',
    selection: 'Selection',
    operations: 'Endpoints',
    operationsOf: (ids: number) => count(ids, 'endpoint'),
    findings: 'Findings',
    findingsOf: (ids: number) => `${count(ids, 'finding')}: the draft is about their flags alone`,
    host: 'Host',
    hostHint: 'The whole host: the draft covers its paths',
    flags: 'Risk flags',
    flagsHint: 'Endpoints that have one of these now',
    parts: 'Parts of the draft',
    partNames: {
      findings: 'Credentials and limits that flags ask for',
      rate_limits: 'A rate limit for each path, from its own traffic',
      positive_model: 'Positive model: only the paths and methods of the inventory',
    } satisfies Record<PolicyDraftPart, string>,
    make: 'Draft',
    nothingSelected: 'Nothing is selected',
    nothingSelectedText: 'Select endpoints in the list, or enter a host or a risk flag.',
    routes: 'Routes and their reasons',
    path: 'Path',
    does: 'The draft requires',
    notes: 'Not in the draft',
    nothing: 'Nothing',
    traffic: 'Requests of 7 days',
    trafficOf: (requests: number, anonymous: number) => `${number(requests)}, ${number(anonymous)} without credentials`,
    policy: 'Policy',
    notesTitle: 'Before you use it',
    placeholders: 'To fill in before you save',
    placeholder: (field: string, what: string) => `${field}: ${what}`,
    withoutTraffic: 'Limits and counts are not from traffic',
    skipped: 'Left out',
    skippedOf: (reason: Skip, ids: number) => `${count(ids, 'endpoint')}: ${SKIPS[reason]}`,
    skippedFindings: (reason: FindingSkip, ids: number) => `${count(ids, 'finding')}: ${FINDING_SKIPS[reason]}`,
    more: (hosts: number) => `and at ${count(hosts, 'other port')}`,
    edit: 'Edit and save',
    editHint: 'Opens the editor for a new policy. The mode stays detect.',
    follow: 'Follow detections',
  },
  trial: {
    title: 'Trial on recorded traffic',
    lead: 'Replays recorded requests as if the draft blocked. Nothing is blocked.',
    range: 'Time range of the trial',
    ranges: { hour: 'Last hour', day: 'Last 24 hours', week: 'Last 7 days' },
    run: 'Run the trial',
    failed: 'The trial failed',
    wouldBlock: (blocked: number, requests: number) =>
      `Would have blocked ${number(blocked)} of ${number(requests)} requests`,
    undetermined: (requests: number) =>
      `${count(requests, 'request')} undetermined: the record lacks what an engine needs`,
    covered: (events: number, requests: number, total: number) =>
      `Replayed ${number(events)} events for ${number(requests)} of ${number(total)} requests of the time range.`,
    truncated: 'The time range has more events than one trial replays: the newest were replayed.',
    sampled: (events: number) =>
      `${count(events, 'event')} of a sample stand for several requests. A limiter took one token for each event, so a limit would block more.`,
    leftOut: (requests: number) =>
      `${count(requests, 'request')} cannot be replayed: no HTTP, or no path in the store.`,
    inferred:
      'Events have the template of a path, the kind of credentials, and hashes of consumer and source. A request that the agent called anonymous had no credentials in a header that the agent knows.',
    missing: 'Missing in the records',
    missingOf: (what: string, engine: string, requests: number) =>
      `${engine} needs ${what}: ${count(requests, 'request')}`,
    consumers: 'Blocked consumers and sources',
    consumer: 'Consumer or source',
    requests: 'Requests',
    blocked: 'Blocked',
    reasons: 'Reasons',
    reason: 'Reason',
  },
  detections: {
    title: 'Detections of a policy',
    lead: 'Shows what a policy in mode detect would have blocked since its last change, and whether it is safe to block.',
    what: 'the detections',
    policy: 'Policy',
    choose: 'Choose a policy',
    chooseText: 'Policies in mode detect count what they would block.',
    safe: 'Safe to block',
    notSafe: 'Not safe to block yet',
    blocking: 'No part of this policy is in mode detect',
    checks: 'Criteria',
    check: 'Criterion',
    needed: 'Needed',
    found: 'Found',
    state: 'State',
    passed: 'Met',
    open: 'Not met',
    unknown: 'Unknown',
    checkNames: {
      attached: 'Services that use the policy (at least)',
      requests: 'Requests that their filters decided (at least)',
      hours: 'Hours since the last change (at least)',
      credentials: 'Detected requests with credentials (at most)',
      complete: 'Findings without a recorded request (at most)',
    } satisfies Record<Check, string>,
    inspected: 'Requests decided',
    detected: 'Findings detected',
    requestsFound: 'Detected requests',
    requestsOf: (found: number, succeeded: number, anonymous: number) =>
      `${number(found)}; ${number(succeeded)} succeeded, ${number(anonymous)} had no credentials`,
    blocked: 'Findings blocked',
    services: 'Used by',
    none: 'No service',
    byRoute: 'By route',
    byEngine: 'By engine and reason',
    route: 'Route',
    engine: 'Engine or reason',
    ofDomain: 'The domain itself',
    findings: 'Findings',
    last: 'Last',
    consumers: 'By consumer',
    consumer: 'Consumer',
    requests: 'Requests',
    succeeded: 'Succeeded',
    credentials: 'With credentials',
    trend: 'Findings by hour',
    trendDetected: 'Detected',
    trendBlocked: 'Blocked',
    nothing: 'Nothing was detected',
    nothingText: 'The policy has detected no request in this time.',
    block: 'Block',
    blockQuestion: (name: string) => `Block with ${name}?`,
    blockText: (parts: number) =>
      `${count(parts, 'part')} of the policy change from detect to block. Their proxies refuse such requests within moments.`,
    blockAnyway: 'Not all criteria are met: requests that succeed today may be refused.',
    blockDone: (name: string) => `${name} blocks`,
    withoutTraffic: 'Consumers and results of the requests are unknown',
    history: 'Policy',
  },
  link: 'Draft a policy',
};

const SKIPS: Readonly<Record<Skip, string>> = {
  unknown: 'not in the inventory',
  not_confirmed: 'only probes asked for it',
  other: 'counts all operations beyond the limit',
  host: 'no policy can name the host',
  path: 'no route can match exactly this path',
  protocol: 'no HTTP',
  nothing_to_do: 'nothing asks for a rule',
};

const FINDING_SKIPS: Readonly<Record<FindingSkip, string>> = {
  unknown: 'not found',
  closed: 'closed',
  gone: 'the endpoint is not in the inventory, or the selection excludes it',
};

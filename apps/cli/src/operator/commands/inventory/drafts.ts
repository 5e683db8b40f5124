import { type CallInput, type PolicyDetections, type PolicyDraft, policyDraftRoutes } from '@flotilla/contract';
import { saveNewFile } from '../../new-file.ts';
import { FILES } from '../../nouns/sources.ts';
import { act, get } from '../../nouns/verb.ts';
import { renderTable } from '../../output.ts';
import { parsePast } from '../time-argument.ts';

const readPast = (text: string) => parsePast(text, Date.now());

const SUGGEST_INPUTS = [
  { flags: '--operation <id>', help: 'id of an operation', to: 'operation_ids' },
  { flags: '--finding <id>', help: 'id of an open finding; the draft is about its flag', to: 'finding_ids' },
  { flags: '--host <host>', help: 'all mature operations of this host', to: 'host' },
  { flags: '--flag <flag>', help: 'operations with this flag now', to: 'flags' },
  { flags: '--part <part>', help: 'what to draft; findings by default', to: 'parts' },
  { flags: '--min-seen <number>', help: 'seen at least so often', to: 'min_seen', read: Number },
  {
    flags: '--factor <number>',
    help: 'limits are the 99.9th percentile times this; 2 by default',
    to: 'factor',
    read: Number,
  },
  {
    flags: '--since <time>',
    help: 'traffic for limits and counts, such as 2d; 7d by default',
    to: 'from',
    read: readPast,
  },
  { flags: '--name <name>', help: 'name of the policy; from the host by default', to: 'name' },
  { flags: '--out <file>', help: 'writes the policy to a new file', source: FILES },
] as const;

export const DRAFT_COMMANDS = {
  'suggest-policy': act(
    {
      help: 'a draft of a security policy for operations; stores nothing',
      route: policyDraftRoutes.suggest,
      inputs: SUGGEST_INPUTS,
    },
    async ({ io, scope: { connection, project }, request }, { out }: { out?: string }) => {
      const body = request.body as CallInput<typeof policyDraftRoutes.suggest>['body'];
      const { body: draft } = await connection.call(policyDraftRoutes.suggest, {
        query: { project },
        body: body ?? {},
      });
      if (out === undefined) return { json: draft, text: draft.text, note: describeDraft(draft) };
      await saveNewFile(io, new Response(draft.text), out);
      return { json: draft, text: describeDraft(draft) };
    },
  ),
  detections: get(policyDraftRoutes.detections, {
    inputs: [
      { flags: '<policy>', help: 'name of a policy', to: 'policy' },
      { flags: '--since <time>', help: 'such as 2d; since its last change by default', to: 'from', read: readPast },
      {
        flags: '--min-requests <number>',
        help: 'requests that have to be inspected; 1000 by default',
        to: 'min_requests',
      },
      { flags: '--min-hours <number>', help: 'hours since the last change; 24 by default', to: 'min_hours' },
    ],
    text: describeDetections,
  }),
};

/** Counts what was left out, by reason. */
function countSkips(what: string, skips: readonly { readonly reason: string }[]): string[] {
  return [...new Set(skips.map(({ reason }) => reason))].map((reason) => {
    const count = skips.filter((skip) => skip.reason === reason).length;
    return `Left out: ${count} ${what}${count === 1 ? '' : 's'} (${reason.replaceAll('_', ' ')})`;
  });
}

function describeDraft(draft: PolicyDraft): string {
  const { routes, notes, placeholders, without_traffic: without } = draft;
  const lines = routes.flatMap(({ host, normalized_path: path, engines, notes: open }) => [
    `${host}${path}`,
    ...engines.map(({ engine, why }) => `  ${engine}: ${why}`),
    ...open.map(({ text }) => `  not in the draft: ${text}`),
  ]);
  return [
    ...lines,
    ...notes,
    ...(without === null ? [] : [`Without traffic: ${without}`]),
    ...placeholders.map(({ field, what }) => `Fill in ${field}: ${what}`),
    ...countSkips('operation', draft.skipped),
    ...countSkips('finding', draft.skipped_findings),
  ].join('\n');
}

function describeDetections(detections: PolicyDetections): string {
  const { policy, inspected, detected, blocked, safe_to_block: isSafe, checks } = detections;
  const state = policy.detect_parts === 0 ? 'No part detects.' : isSafe ? 'Safe to block.' : 'Not safe to block.';
  const rows = checks.map(({ check, passed, needed, found }) => ({
    check,
    needed: String(needed),
    found: found === null ? 'unknown' : String(found),
    met: passed ? 'yes' : 'no',
  }));
  const routes = detections.by_route.map(({ name, events }) => ({
    route: name === '' ? '(domain)' : name,
    findings: String(events),
  }));
  return [
    `${policy.name}, revision ${policy.revision}: ${inspected ?? 'unknown'} requests inspected, ${detected} findings detected, ${blocked} blocked. ${state}`,
    '',
    renderTable({ check: 'check', needed: 'needed', found: 'found', met: 'met' }, rows),
    ...(routes.length > 0 ? ['', renderTable({ route: 'route', findings: 'findings' }, routes)] : []),
  ].join('\n');
}

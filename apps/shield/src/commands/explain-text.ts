import type { ExplainedEngine, Explanation } from '@flotilla/decision';
import { renderTable, show } from './text-table.ts';

/** Formats an explanation for people. */
export function renderExplanation(explanation: Explanation): string {
  const parts = [
    `${explanation.verdict.toUpperCase()}\n  ${show(explanation.summary, 400)}\n`,
    renderRequest(explanation),
    renderEngines(explanation),
    renderNeighbours(explanation),
    renderAnswer(explanation),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function renderRequest({ request, match, body }: Explanation): string {
  const { domain } = match;
  const rows = [
    ['request', `${show(request.method)} ${show(request.path)}${request.has_query ? '?…' : ''}`],
    ['host', show(request.host) || 'none'],
    ['domain', domain === null ? 'none covers this host' : `${show(domain.entry)} of policy ${show(domain.policy)}`],
    ...match.readings.map(({ path, route }, at) => [
      at === 0 ? 'route' : '',
      `${route === null ? "the domain's own policy" : show(route)}${at === 0 ? '' : `, as the path may be read as ${show(path)}`}`,
    ]),
    ['client', request.source_ip === '' ? 'unknown' : `${request.source_ip} (${request.source_ip_from})`],
    ['body', describeBody(body)],
  ];
  return `REQUEST\n${renderTable(rows)}`;
}

function describeBody({ state, sent_bytes, decoded_bytes, wanted_by, max_bytes }: Explanation['body']): string {
  const size =
    decoded_bytes !== null && decoded_bytes !== sent_bytes
      ? `${sent_bytes} bytes, decoded ${decoded_bytes}`
      : `${sent_bytes} bytes`;
  switch (state) {
    case 'none':
      return wanted_by.length === 0 ? 'none' : `none; ${wanted_by.join(', ')} would look into one`;
    case 'not_wanted':
      return `${size}, not read: no engine asks for it`;
    case 'blocked_before':
      return `${size}, not read: the headers settled the request`;
    case 'read':
      return `${size}, read by ${wanted_by.join(', ')}`;
    case 'too_large':
      return `${size}, longer than the ${max_bytes} bytes of the policy`;
    case 'undecodable':
      return `${size}, which cannot be decoded`;
  }
}

function renderEngines({ engines }: Explanation): string {
  if (engines.length === 0) return 'ENGINES\n  none\n';
  const rows = engines.map((engine, at) => [
    `${at + 1}`,
    engine.engine,
    engine.phase,
    show(engine.route ?? '*', 40),
    engine.mode,
    describeVerdict(engine),
    describeDetail(engine),
  ]);
  return `ENGINES\n${renderTable([['', 'engine', 'phase', 'route', 'mode', 'verdict', ''], ...rows])}`;
}

function describeVerdict({ verdict, effect, reason }: ExplainedEngine): string {
  const said =
    verdict === 'allow' || verdict === 'body' ? (verdict === 'allow' ? 'allows' : 'waits for a body') : reason;
  switch (effect) {
    case 'none':
      return `${said}`;
    case 'blocked':
      return `BLOCKS ${said}`;
    case 'detected':
      return `records ${said}`;
    case 'error':
      return `passed on ${said}`;
    case 'not_asked':
      return `not asked any more (${said})`;
  }
}

function describeDetail({ detail, subject, limiter, phase }: ExplainedEngine): string {
  const parts: string[] = [];
  if (detail !== null) parts.push(show(detail));
  if (subject !== null && subject !== '') parts.push(`subject ${show(subject)}`);
  if (limiter !== null && phase === 'headers') {
    const key =
      limiter.key === 'header' ? `header ${limiter.header}` : limiter.key === 'api_key' ? 'the key' : limiter.key;
    const value = limiter.has_key
      ? limiter.value === null
        ? ''
        : ` ${show(limiter.value)}`
      : ' (none: the shared bucket)';
    const shared = limiter.shared_by > 1 ? `, shared by ${limiter.shared_by} policies` : '';
    parts.push(`bucket of ${key}${value}: ${limiter.requests_per_second}/s, burst ${limiter.burst}${shared}`);
  }
  return parts.join('; ');
}

const ROUTE_MISSES = {
  shorter: 'a longer prefix wins',
  trailing_slash: 'ends in a slash that the path lacks',
  not_a_prefix: 'does not begin the path',
} as const;
const DOMAIN_MISSES = {
  less_specific: 'covers the host, but a more specific entry wins',
  bare_suffix: 'covers only names below the host',
  other_host: 'is another host',
} as const;

function renderNeighbours({ match }: Explanation): string {
  const rows = [
    ...match.other_domains.map(({ entry, why }) => [show(entry), DOMAIN_MISSES[why]]),
    ...match.other_routes.map(({ path_prefix, why }) => [show(path_prefix), ROUTE_MISSES[why]]),
  ];
  return rows.length === 0 ? '' : `NOT MATCHED\n${renderTable(rows)}`;
}

function renderAnswer({ answer, grants }: Explanation): string {
  if (answer !== null) {
    const lines = [[`status ${answer.status}`], ...answer.headers.map(([name, value]) => [`${name}: ${show(value)}`])];
    return `THE CLIENT GETS\n${renderTable([...lines, [show(answer.body.trimEnd())]])}`;
  }
  const lines = grants.flatMap((grant) => [
    ...grant.remove_headers.map((name) => [`without header ${show(name)}`]),
    ...grant.set_headers.map(([name, value]) => [`with header ${show(name)}: ${show(value)}`]),
    ...(grant.remove_query_parameter === null
      ? []
      : [[`without query parameter ${show(grant.remove_query_parameter)}`]]),
  ]);
  return lines.length === 0 ? '' : `THE UPSTREAM GETS IT\n${renderTable(lines)}`;
}

import { judgeName } from '../../../accounts/index.ts';
import {
  createEndpoint,
  getAt,
  isIpAddress,
  type JsonObject,
  parseAddressLines,
  parseDomains,
  parsePath,
  readEndpoints,
} from '../../../forms/index.ts';
import { readCertificates } from '../certificates/read-certificates.ts';
import { texts } from '../texts.tsx';
import { completeAnswers, type Question, type Starter } from './answers.ts';

const text = texts.starters.problems;

const PORT_MAX = 65_535;
const LINES_MAX = 1000;
const UINT32_MAX = 4_294_967_295n;
const UINT64_MAX = 18_446_744_073_709_551_615n;
const SERVER_NAME = /^(?!-)[A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{1,63})*$/;
/** Envoy takes `*`, `*.example.com`, `*-shop.example.com` and `www.example.*`. */
const DOMAIN = /^(?:\*|\*?[^*/@]+|[^*/@]+\*)$/;
const PRIVATE_KEY = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----[A-Za-z0-9+/=\s:,-]+-----END (?:[A-Z]+ )?PRIVATE KEY-----/;

/** Returns the problem of each answer; undefined: it has none. */
export function judgeAnswers(starter: Starter, typed: readonly string[]): (string | undefined)[] {
  const answers = completeAnswers(starter, typed);
  return starter.questions.map((question, index) => judgeAnswer(starter, question, answers[index] ?? ''));
}

function judgeAnswer(starter: Starter, question: Question, answer: string): string | undefined {
  if (answer === '') return text.missing;
  switch (question.kind) {
    case 'name':
      return starter.collection === 'virtual_hosts' ? judgeHostName(answer) : judgeName(answer);
    case 'addresses':
      return judgeAddresses(answer);
    case 'ip_addresses':
      return judgeAddresses(answer) ?? judgeIpAddresses(answer);
    case 'server_name':
      return SERVER_NAME.test(answer) && !isIpAddress(answer) ? undefined : text.serverName;
    case 'port':
      return isWhole(answer, BigInt(PORT_MAX)) ? undefined : text.whole(PORT_MAX.toString());
    case 'domains':
      return judgeDomains(parseDomains(answer));
    case 'http_path':
      return /^\/[^\s?#]*$/.test(answer) ? undefined : text.path;
    case 'count':
      return judgeCount(starter, question, answer);
    case 'certificate_pem':
      return readCertificates(answer).length > 0 ? undefined : text.certificate;
    case 'private_key_pem':
      return PRIVATE_KEY.test(answer) ? undefined : text.privateKey;
    default:
      return undefined;
  }
}

/** A virtual host is named after its route configuration and itself. The controller knows the exact rule. */
function judgeHostName(name: string): string | undefined {
  return /^[^/\s]+\/[^/\s]+$/.test(name) ? undefined : text.virtualHost;
}

function judgeAddresses(answer: string): string | undefined {
  const lines = parseAddressLines(answer);
  if (lines.length > LINES_MAX) return text.tooMany(LINES_MAX);
  const found = readEndpoints([{ lb_endpoints: lines.map(createEndpoint) }]);
  if (!found.isSimple) return found.reason;
  const index = found.rows.findIndex(({ problems }) => problems.length > 0);
  return index < 0 ? undefined : text.line(index + 1, found.rows[index]?.problems[0]?.message ?? '');
}

function judgeIpAddresses(answer: string): string | undefined {
  const index = parseAddressLines(answer).findIndex(({ host }) => !isIpAddress(host));
  return index < 0 ? undefined : text.line(index + 1, text.hostName);
}

function judgeDomains(domains: readonly string[]): string | undefined {
  const odd = domains.find((domain) => !DOMAIN.test(domain));
  if (odd !== undefined) return text.domain(odd);
  const lower = domains.map((domain) => domain.toLowerCase());
  const twice = lower.find((domain, index) => lower.indexOf(domain) !== index);
  if (twice !== undefined) return text.twice(twice);
  return domains.length === 0 ? text.missing : undefined;
}

/** 64-bit numbers are texts in the document. */
function judgeCount(starter: Starter, { paths }: Question, answer: string): string | undefined {
  const [path = ''] = paths;
  const example = getAt(starter.resource as JsonObject, parsePath(path));
  const max = typeof example === 'string' ? UINT64_MAX : UINT32_MAX;
  return isWhole(answer, max) ? undefined : text.whole(max.toString());
}

function isWhole(answer: string, max: bigint): boolean {
  return /^\d{1,20}$/.test(answer) && BigInt(answer) >= 1n && BigInt(answer) <= max;
}

import { CLIENT, LIMIT, SERVICE } from '../inputs.ts';
import { parsePast } from '../time-argument.ts';

const readPast = (text: string) => parsePast(text, Date.now());
const time = 'such as 2h, 3d, or a time';

/** Options that choose operations. */
export const CATALOGUE_FILTERS = [
  { flags: '--method <method>', to: 'method' },
  { flags: '--protocol <protocol>', to: 'protocol' },
  { flags: '--host <prefix>', help: 'start of the host', to: 'host' },
  { flags: '--path <prefix>', help: 'start of the path', to: 'normalized_path' },
  { flags: '--listener <prefix>', help: 'start of the name of a listener', to: 'listener_name' },
  { flags: '--flag <flag>', help: 'a risk flag', to: 'risk_flag' },
  { flags: '--active', help: 'with --flag and --pii: active now; otherwise seen lately', to: 'active', value: 'true' },
  { flags: '--pii <category>', help: 'personal data', to: 'pii_category' },
  { flags: '--category <category>', help: 'category of the endpoint', to: 'endpoint_category' },
  { flags: '--auth <posture>', help: 'state of the authentication', to: 'auth_posture' },
  {
    flags: '--min-seen <number>',
    help: 'seen at least so often; 5 hides operations that are not mature',
    to: 'min_seen',
  },
  { flags: '--min-risk <score>', help: 'at least this threat score, 0 to 255', to: 'min_risk_score' },
  { flags: '--max-risk <score>', help: 'at most this threat score', to: 'max_risk_score' },
  { flags: '--seen-since <time>', help: time, to: 'last_seen_from', read: readPast },
  { flags: '--seen-before <time>', help: time, to: 'last_seen_to', read: readPast },
  SERVICE,
  CLIENT,
  { flags: '-q, --query <text>', help: 'part of the host, path or operation', to: 'q' },
] as const;

/** Options of lists: some need the event store. */
export const FILTERS = [
  ...CATALOGUE_FILTERS,
  { flags: '--country <code>', help: 'two capital letters; needs the event store', to: 'country' },
  { flags: '--asn <number>', help: 'autonomous system; needs the event store', to: 'asn' },
  { flags: '--source-ip <address>', help: 'needs the event store', to: 'source_ip' },
  { flags: '--user-agent <text>', help: 'needs the event store', to: 'user_agent' },
  { flags: '--sort <fields>', help: 'such as -max_risk_score; - reverses the order', to: 'sort' },
  LIMIT,
] as const;

import {
  type Alarm,
  type Datagram,
  isSuspended,
  type MemberConfig,
  type MemberState,
  PROTOCOL_VERSION,
} from '@flotilla/ha';

const SKEW_MAX_MS = 1000;
const MESSAGE_MAX = 1000;
const ALARMS_MAX = 100;

type Add = (code: string, level: Alarm['level'], message: string) => void;

export interface AlarmSource {
  readonly member: MemberConfig;
  readonly state: MemberState;
  readonly now: number;
  readonly skewMs: number;
  readonly paths: ReadonlyArray<{ readonly network: string; readonly up: boolean }>;
  readonly pathProblems: readonly string[];
  /** Addresses that another host answers for. */
  readonly disputed: readonly string[];
  readonly heard: Datagram | undefined;
  /** The file says that there is no peer, and the earlier one is still heard. */
  readonly isPeerLeaving: boolean;
  /** Reasons for which something does not work, by its kind. */
  readonly problems: ReadonlyMap<string, string>;
}

export function listAlarms(source: AlarmSource): Alarm[] {
  const { member, skewMs, heard } = source;
  const alarms: Alarm[] = [];
  const add: Add = (code, level, message) => alarms.push({ code, level, message });
  if (member.hasPeer) addPeerAlarms(source, add);
  if (member.isFencing && !source.state.isReachable) add('gateway_unreachable', 'error', 'No fence target answers.');
  if (Math.abs(skewMs) > SKEW_MAX_MS)
    add('clock_skew', 'warn', `The clocks of the members differ by ${Math.round(skewMs)} ms.`);
  if (heard && heard.version !== PROTOCOL_VERSION)
    add(
      'version_mismatch',
      'warn',
      `The peer speaks version ${heard.version} of the protocol, and this member version ${PROTOCOL_VERSION}.`,
    );
  if (source.disputed.length > 0)
    add('vip_conflict', 'error', `Another host answers for ${source.disputed.join(', ')}.`);
  return [...alarms, ...listProblems(source.problems)];
}

/** Adds what concerns the daemon, not the member. */
export function withAlarms(
  alarms: readonly Alarm[],
  { refused, problems }: { readonly refused: string | undefined; readonly problems: ReadonlyMap<string, string> },
): Alarm[] {
  const refusal: Alarm[] = refused === undefined ? [] : [{ code: 'config_refused', level: 'error', message: refused }];
  return [...refusal, ...listProblems(problems), ...alarms]
    .slice(0, ALARMS_MAX)
    .map((alarm) => ({ ...alarm, message: alarm.message.slice(0, MESSAGE_MAX) }));
}

function addPeerAlarms({ member, state, now, paths, pathProblems, isPeerLeaving }: AlarmSource, add: Add): void {
  if (!member.isFencing)
    add('no_fencing', 'warn', 'Without a fence target, both members may serve if they cannot hear each other.');
  for (const { network, up } of paths)
    if (!up) add('path_down', 'warn', `The peer is not heard on the ${network} network.`);
  for (const problem of pathProblems) add('path_failed', 'error', problem);
  if (isPeerLeaving) add('peer_leaving', 'warn', 'The peer was removed from the pair, and still sends heartbeats.');
  if (isSuspended({ config: member, state, now }))
    add('flap_suspended', 'warn', 'This member has taken over so often that it waits longer before it does so again.');
}

/** A kind may have a detail after a blank. */
function listProblems(problems: ReadonlyMap<string, string>): Alarm[] {
  return [...problems].map(([kind, message]) => {
    const [name = kind] = kind.split(' ');
    const level = name === 'history' || name === 'announce' ? 'warn' : 'error';
    return { code: `${name}_failed`, level, message };
  });
}

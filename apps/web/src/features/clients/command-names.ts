import { COMMAND_SPECS, type CommandName, type CommandOutcome, findCommand } from '@flotilla/contract';
import type { Filter, Tone } from '../../ui/index.ts';
import { applianceTexts } from '../appliances/index.ts';
import type { CommandRow } from './model.ts';
import { ROUTING_NAMES } from './routing/command-texts.ts';
import { texts } from './texts.tsx';

const text = texts.commandNames;

const NAMES: Readonly<Record<CommandName, string>> = {
  CLIENT_STATS: text.names.clientstats,
  'CLIENT_LOGS AGENT': text.names.clientlogsagent,
  'CLIENT_LOGS HOST': text.names.clientlogshost,
  ROUTING_LOGS: text.names.routinglogs,
  DEPLOY: 'Deploy',
  UNDEPLOY: 'Undeploy',
  UPDATE_BOOTSTRAP: text.names.updatebootstrap,
  'SERVICE SUB_START': 'Start',
  'SERVICE SUB_STOP': 'Stop',
  'SERVICE SUB_RESTART': 'Restart',
  'SERVICE SUB_RELOAD': 'Reload',
  'SERVICE SUB_STATUS': text.names.servicesubstatus,
  'SERVICE SUB_LOGS': text.names.servicesublogs,
  'SHIELD UPDATE_SHIELD_CONFIG': text.names.shieldupdateshieldconfig,
  'SHIELD GET_SHIELD_CONFIG': text.names.shieldgetshieldconfig,
  'SHIELD GET_SHIELD_STATUS': text.names.shieldgetshieldstatus,
  'PROXY READ': text.names.proxyread,
  'PROXY WRITE': text.names.proxywrite,
  'DATAPLANE_VERSION GET_VERSIONS': text.names.dataplaneversiongetversions,
  'DATAPLANE_VERSION SET_VERSION': text.names.dataplaneversionsetversion,
  'DATAPLANE_VERSION REMOVE_VERSION': text.names.dataplaneversionremoveversion,
  UPGRADE_LISTENER: text.names.upgradelistener,
  'WAF_VERSION GET_VERSIONS': text.names.wafversiongetversions,
  'WAF_VERSION SET_VERSION': text.names.wafversionsetversion,
  'WAF_VERSION REMOVE_VERSION': text.names.wafversionremoveversion,
  ...ROUTING_NAMES,
  'SYSLOG_FWD UPDATE_RSYSLOG_CONFIG': text.names.syslogupdate,
  'SYSLOG_FWD GET_RSYSLOG_CONFIG': text.names.syslogconfig,
  'SYSLOG_FWD GET_RSYSLOG_STATUS': text.names.syslogstatus,
  'SYSLOG_FWD SUB_START': text.names.syslogstart,
  'SYSLOG_FWD SUB_STOP': text.names.syslogstop,
  'SYSLOG_FWD SUB_RESTART': text.names.syslogrestart,
  'SYSLOG_FWD SUB_LOGS': text.names.sysloglogs,
  'LOGSHIPPER UPDATE_FILEBEAT_CONFIG': text.names.shipperupdate,
  'LOGSHIPPER GET_FILEBEAT_CONFIG': text.names.shipperconfig,
  'LOGSHIPPER GET_FILEBEAT_STATUS': text.names.shipperstatus,
  'LOGSHIPPER SUB_START': text.names.shipperstart,
  'LOGSHIPPER SUB_STOP': text.names.shipperstop,
  'LOGSHIPPER SUB_RESTART': text.names.shipperrestart,
  'LOGSHIPPER SUB_LOGS': text.names.shipperlogs,
  'NETWORK SUB_NETPLAN_APPLY': text.names.networksubnetplanapply,
  'NETWORK SUB_NETPLAN_GET': text.names.networksubnetplanget,
  'NETWORK SUB_NETPLAN_ROLLBACK': text.names.networksubnetplanrollback,
  'NETWORK SUB_ROUTE_MANAGE': text.names.networksubroutemanage,
  'NETWORK SUB_ROUTE_LIST': text.names.networksubroutelist,
  'NETWORK SUB_POLICY_MANAGE': text.names.networksubpolicymanage,
  'NETWORK SUB_POLICY_LIST': text.names.networksubpolicylist,
  'NETWORK SUB_TABLE_MANAGE': text.names.networksubtablemanage,
  'NETWORK SUB_TABLE_LIST': text.names.networksubtablelist,
  'NETWORK SUB_GET_NETWORK_STATE': text.names.networksubgetnetworkstate,
  'APPLIANCE SUB_STATUS': applianceTexts.names.status,
  'APPLIANCE SUB_BUNDLE_LIST': applianceTexts.names.list,
  'APPLIANCE SUB_BUNDLE_CREATE': applianceTexts.names.create,
  'APPLIANCE SUB_BUNDLE_READ': applianceTexts.names.read,
  'APPLIANCE SUB_BUNDLE_DELETE': applianceTexts.names.remove,
  'HA SUB_STATUS': text.names.hasubstatus,
  'HA SUB_HA_RESEND_GARP': text.names.hasubresendgarp,
  'HA SUB_HA_CLEAR': text.names.hasubclear,
  'HA SUB_HA_START_ALONE': text.names.hasubstartalone,
  'HA SUB_FAILOVER': text.names.hasubfailover,
  'HA SUB_MAINTENANCE': text.names.hasubmaintenance,
  'HA SUB_YIELD': text.names.hasubyield,
};

type Named = Pick<CommandRow, 'type' | 'sub_type' | 'operation'>;

/** Returns the name of the command in the API: `SERVICE SUB_START`. */
export function codeOf({ type, sub_type, operation }: Named): string {
  return [type, sub_type, operation].filter((part) => part !== '').join(' ');
}

export function nameOf(command: Named): string {
  const spec = findCommand(command.type, command.sub_type, command.operation);
  return spec ? NAMES[spec.name] : codeOf(command);
}

export interface OutcomeLook {
  readonly word: string;
  readonly tone: Tone;
  readonly shape: 'full' | 'half' | 'ring' | 'arc' | 'triangle' | 'square';
  readonly why: string;
}

const OUTCOMES: Readonly<Record<CommandOutcome, OutcomeLook>> = {
  done: { word: text.outcomes.done, tone: 'good', shape: 'full', why: text.outcomes.whyDone },
  failed: { word: text.outcomes.failed, tone: 'bad', shape: 'triangle', why: text.outcomes.whyFailed },
  refused: { word: text.outcomes.refused, tone: 'warn', shape: 'triangle', why: text.outcomes.whyRefused },
  pending: { word: text.outcomes.pending, tone: 'busy', shape: 'ring', why: text.outcomes.whyPending },
  running: { word: text.outcomes.running, tone: 'busy', shape: 'arc', why: text.outcomes.whyRunning },
  unknown: {
    word: text.outcomes.unknown,
    tone: 'warn',
    shape: 'ring',
    why: text.outcomes.whyUnknown,
  },
};

export function lookOf(outcome: CommandOutcome): OutcomeLook {
  return OUTCOMES[outcome];
}

/** Lists the types for the filter. A type with only read-only commands is included only if the list shows them. */
function listTypes(withQuestions: boolean): string[] {
  const shown = COMMAND_SPECS.filter(({ kind }) => withQuestions || kind !== 'query');
  return [...new Set(shown.map(({ type }) => type))];
}

export const listFilters = (withQuestions: boolean): readonly Filter[] => [
  {
    name: 'type',
    label: text.listFilters.type,
    options: listTypes(withQuestions).map((type) => ({ value: type, label: type })),
  },
  {
    name: 'outcome',
    label: text.listFilters.outcome,
    options: Object.entries(OUTCOMES).map(([value, { word }]) => ({ value, label: word })),
  },
];

/** Formats `340 ms`, `4.2 s`, `3 min 5 s`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return text.formatDuration.minutesAndSeconds(Math.floor(ms / 60_000), Math.floor((ms % 60_000) / 1000));
}

import { hostname } from 'node:os';
import type { ServiceLayout } from '@flotilla/proto';
import type { ServiceLogType } from '@flotilla/proto/commands';
import { withFolder } from '../host/open-folder.ts';
import { FileLog } from './file-log.ts';
import { JournalLog } from './journal-log.ts';
import { parseAccessLine, parseEnvoyLine, parsePinoLine, parseRoutingLine } from './parse-line.ts';
import type { LogTarget } from './read-logs.ts';
import type { LogSource } from './types.ts';

/** The log of the agent, in the folder `agentLogDir`. */
export const AGENT_LOG = 'agent.log';

export function agentLogDir(dataDir: string): string {
  return `${dataDir}/logs`;
}

const NAMES_MAX = 1000;
const ACCESS_LOGS_MAX = 20;
/** A rotated copy alone shows that there was a log, too. */
const ACCESS_LOG = /^([\w.-]{1,64}?\.log)(?:\.\d{1,4}|-\d{8,14})?(?:\.gz)?$/;
/** Units of systemd whose programs exchange routes. */
const ROUTING_UNITS = ['frr.service', 'bird.service', 'bird6.service', 'gobgpd.service', 'openbgpd.service'];
const FRR_LOG = { dir: '/var/log/frr', name: 'frr.log' };

export function serviceTarget({ logDir, filesDir }: ServiceLayout, logType: string): LogTarget {
  return {
    name: nameOf(logDir),
    sources: async () => {
      const envoy = new FileLog({ dir: logDir, name: 'envoy.log', source: 'envoy', parse: parseEnvoyLine });
      const filter = new FileLog({ dir: logDir, name: 'shield.log', source: 'filter', parse: parsePinoLine });
      switch (logType as ServiceLogType) {
        case 'ENVOY':
          return [envoy];
        case 'FILTER':
          return [filter];
        case 'SYSTEM':
          return [envoy, filter];
        case 'ACCESS':
          return [envoy, ...(await findAccessLogs(filesDir))];
        default:
          return [envoy, filter, ...(await findAccessLogs(filesDir))];
      }
    },
  };
}

export function agentTarget(dataDir: string): LogTarget {
  const dir = agentLogDir(dataDir);
  const log = new FileLog({ dir, name: AGENT_LOG, source: 'agent', parse: parsePinoLine });
  return { name: nameOf(dir), sources: () => Promise.resolve([log]) };
}

export function hostTarget(journalCommand: readonly string[]): LogTarget {
  const log = new JournalLog({ command: journalCommand, units: [], source: 'host' });
  return { name: nameOf('journal'), sources: () => Promise.resolve([log]) };
}

/** FRR writes to the journal, and to a file if its configuration says so. */
export function routingTarget(journalCommand: readonly string[]): LogTarget {
  const journal = new JournalLog({ command: journalCommand, units: ROUTING_UNITS, source: 'routing' });
  const file = new FileLog({ ...FRR_LOG, source: 'routing', parse: parseRoutingLine });
  return { name: nameOf('routing'), sources: () => Promise.resolve([journal, file]) };
}

/** The folder belongs to the tenant: anything may be in it. */
async function findAccessLogs(filesDir: string): Promise<LogSource[]> {
  const names = (await withFolder(filesDir, (folder) => folder.names(NAMES_MAX))) ?? [];
  const logs = new Set(names.flatMap((name) => ACCESS_LOG.exec(name)?.[1] ?? []));
  return [...logs]
    .sort()
    .slice(0, ACCESS_LOGS_MAX)
    .map((name) => new FileLog({ dir: filesDir, name, source: 'access', parse: parseAccessLine }));
}

function nameOf(log: string): string {
  return `${hostname()} ${log}`;
}

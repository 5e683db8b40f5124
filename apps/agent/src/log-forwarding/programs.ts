import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Where packages put rsyslog. */
const RSYSLOG = ['/usr/sbin/rsyslogd', '/usr/bin/rsyslogd', '/usr/local/sbin/rsyslogd'];
/** Elastic's package, and its archive. */
const FILEBEAT = ['/usr/bin/filebeat', '/usr/share/filebeat/bin/filebeat', '/usr/local/bin/filebeat'];
const LIBRARIES = '/usr/lib';

/** Undefined: rsyslog is not installed. */
export function findRsyslog(programs: readonly string[] = RSYSLOG): Promise<string | undefined> {
  return findFirst(programs);
}

/** Undefined: Filebeat is not installed. */
export function findFilebeat(programs: readonly string[] = FILEBEAT): Promise<string | undefined> {
  return findFirst(programs);
}

async function findFirst(programs: readonly string[]): Promise<string | undefined> {
  for (const program of programs) if (await isThere(program)) return program;
  return undefined;
}

/** Whether a module of rsyslog, such as `lmnsd_gtls`, is installed. */
export async function hasRsyslogModule(name: string): Promise<boolean> {
  const places = [LIBRARIES, '/usr/lib64', '/usr/local/lib'];
  const architectures = await readdir(LIBRARIES).catch(() => [] as string[]);
  places.push(...architectures.filter((one) => one.endsWith('-linux-gnu')).map((one) => join(LIBRARIES, one)));
  for (const place of places) if (await isThere(join(place, 'rsyslog', `${name}.so`))) return true;
  return false;
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

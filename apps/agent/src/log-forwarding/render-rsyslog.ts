import { join } from 'node:path';
import { renderObject } from './rainerscript.ts';
import type { ForwarderPlaces } from './types.ts';

/** The files in `logDir`. */
export const OWN_LOG = 'forwarder.log';
export const COUNTERS_LOG = 'counters.log';
const COUNTERS_EVERY_S = 10;
/** The limit of the lines that wait for a server. */
export const QUEUE_MAX_BYTES = 1024 ** 3;
const QUEUE_FILE_BYTES = 16 * 1024 ** 2;
const QUEUE_FILES_MIN = 8;
/** No wait for space in the queue ever ends, because rsyslog would drop the line. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** A set of files that rsyslog follows. */
export interface RsyslogInput {
  /** A path, which may contain `*`. */
  readonly path: string;
  readonly tag: string;
}

export interface RsyslogParts {
  readonly places: ForwarderPlaces;
  readonly modules: readonly string[];
  readonly templates: readonly string[];
  readonly inputs: readonly RsyslogInput[];
  /** Statements that handle a line, ending with the action that delivers it. */
  readonly statements: readonly string[];
  readonly queueMaxBytes?: number | undefined;
}

/**
 * Renders the whole configuration of an rsyslog of our own. Lines are on disk in its queue before rsyslog notes how far it has
 * read, and leave the queue after the server has taken them: a crash in between repeats lines and loses none.
 */
export function renderRsyslog(parts: RsyslogParts): string {
  const { places, modules, templates, inputs, statements, queueMaxBytes = QUEUE_MAX_BYTES } = parts;
  const { workDir, logDir } = places;
  const lines = [
    renderObject('global', {
      workDirectory: workDir,
      maxMessageSize: '64k',
      abortOnUncleanConfig: 'on',
      processInternalMessages: 'on',
      'internalmsg.severity': 'info',
      'net.enabledns': 'off',
    }),
    ...['imfile', ...modules].map((name) => renderObject('module', { load: name })),
    renderObject('module', {
      load: 'impstats',
      interval: COUNTERS_EVERY_S,
      format: 'json',
      'log.syslog': 'off',
      'log.file': join(logDir, COUNTERS_LOG),
    }),
    ...templates,
    `template(name="own" type="list") {
  property(name="timestamp" dateFormat="rfc3339" date.inUTC="on") constant(value=" ")
  property(name="syslogseverity-text") constant(value=" ")
  property(name="msg" controlcharacters="escape") constant(value="\\n")
}`,
    `${renderObject('ruleset', {
      name: 'forward',
      'queue.type': 'Disk',
      'queue.filename': 'forward',
      'queue.spoolDirectory': workDir,
      // Space is free again when a whole file is delivered.
      'queue.maxFileSize': Math.min(QUEUE_FILE_BYTES, queueMaxBytes / QUEUE_FILES_MIN),
      'queue.maxDiskSpace': queueMaxBytes,
      'queue.checkpointInterval': 1,
      'queue.dequeueBatchSize': 512,
      'queue.timeoutEnqueue': NO_TIMEOUT_MS,
      'queue.timeoutShutdown': 1000,
      'queue.timeoutActionCompletion': 2000,
    })} {\n${statements.map((one) => `  ${one}`).join('\n')}\n}`,
    ...inputs.map(({ path, tag }) =>
      renderObject('input', {
        type: 'imfile',
        file: path,
        tag,
        facility: 'local7',
        severity: 'info',
        ruleset: 'forward',
        addMetadata: 'on',
        reopenOnTruncate: 'on',
        // Not after a number of lines: rsyslog collects up to 1,024 of them before they are in the queue.
        persistStateAfterSubmission: 'on',
      }),
    ),
    renderObject('action', { type: 'omfile', file: join(logDir, OWN_LOG), template: 'own', fileCreateMode: '0600' }),
  ];
  return `${lines.join('\n')}\n`;
}

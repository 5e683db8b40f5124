/*
 * Readers of the answers of forwarders of logs. The answer comes from a host that may be compromised or run another agent: what
 * has another shape is left out.
 */

export interface ForwarderStatus {
  readonly configured: boolean;
  readonly wanted: 'running' | 'stopped';
  readonly pid: number | undefined;
  /** The program, such as `rsyslog`. */
  readonly program: string | undefined;
  /** Why it does not run although it should. */
  readonly error: string | undefined;
  /** The last time that the agent put a changed configuration back. */
  readonly restored: { readonly count: number; readonly reason: string; readonly at: string } | undefined;
  readonly counters:
    | { readonly read: number; readonly waiting: number; readonly failed: number; readonly suspended: boolean }
    | undefined;
}

/** Undefined: the answer has another form. */
export function readForwarderStatus(result: unknown): ForwarderStatus | undefined {
  const status = asRecord(asRecord(result).status);
  if (typeof status.configured !== 'boolean') return undefined;
  const { pid, program, error, wanted } = status;
  return {
    configured: status.configured,
    wanted: wanted === 'running' ? 'running' : 'stopped',
    pid: typeof pid === 'number' ? pid : undefined,
    program: typeof program === 'string' ? program : undefined,
    error: typeof error === 'string' ? error : undefined,
    restored: readRestored(status.restored),
    counters: readCounters(status.counters),
  };
}

/** Where a host sends its logs, without secrets. Null: nowhere. Undefined: the answer has another form. */
export function readSyslogOutput(result: unknown) {
  const { rsyslog_config: config } = asRecord(result);
  if (config === null) return null;
  const { target, port, protocol, tls } = asRecord(asRecord(config).rsyslog_output);
  if (typeof target !== 'string' || typeof port !== 'number') return undefined;
  const { ca_cert: ca, client_cert: cert, server_name: name } = asRecord(tls);
  return {
    target,
    port,
    protocol: protocol === 'udp' ? ('udp' as const) : ('tcp' as const),
    tls: tls === null ? null : { ca_cert: textOf(ca), client_cert: textOf(cert), server_name: textOf(name) },
  };
}

/** Reads the configuration of a log shipper, without secrets. Null: nothing. Undefined: the answer has another form. */
export function readShipperConfig(result: unknown) {
  const { filebeat } = asRecord(result);
  if (filebeat === null) return null;
  const { driver, service_logs, inputs, filebeat_output } = asRecord(filebeat);
  const { elasticsearch, logstash } = asRecord(filebeat_output);
  const { hosts, loadbalance, index, api_key, basic_auth, skip_ssl_verify, tls } = asRecord(elasticsearch ?? logstash);
  if (!isTexts(hosts)) return undefined;
  const { ca_cert: ca, client_cert: cert, server_name: name } = asRecord(tls);
  return {
    kind: elasticsearch === undefined ? ('logstash' as const) : ('elasticsearch' as const),
    driver: textOf(driver),
    service_logs: service_logs !== false,
    inputs: Array.isArray(inputs) ? inputs.flatMap(readInput) : [],
    hosts,
    loadbalance: loadbalance !== false,
    index: textOf(index),
    has_api_key: typeof api_key === 'string',
    username: textOf(asRecord(basic_auth).username),
    skip_ssl_verify: skip_ssl_verify === true,
    tls: tls == null ? null : { ca_cert: textOf(ca), client_cert: textOf(cert), server_name: textOf(name) },
    /** As the host has it, for updates that keep what they do not change. */
    whole: asRecord(filebeat),
  };
}

function readInput(value: unknown) {
  const { id, enabled, paths } = asRecord(value);
  return typeof id === 'string' && isTexts(paths) ? [{ id, paths, enabled: enabled !== false }] : [];
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function readRestored(value: unknown): ForwarderStatus['restored'] {
  const { count, reason, at } = asRecord(value);
  return typeof count === 'number' && typeof reason === 'string' && typeof at === 'string'
    ? { count, reason, at }
    : undefined;
}

function readCounters(value: unknown): ForwarderStatus['counters'] {
  const { read, waiting, failed, suspended } = asRecord(value);
  return typeof read === 'number' && typeof waiting === 'number' && typeof failed === 'number'
    ? { read, waiting, failed, suspended: suspended === true }
    : undefined;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

export interface FilterConfig {
  readonly files: readonly { readonly path: string; readonly bytes: number; readonly sha256: string }[];
  /** Number of all files, listed or not. */
  readonly total: number;
}

export interface FilterStatus {
  readonly processes: readonly { readonly role: string; readonly pid: number }[];
  readonly logs: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads the result of GET_SHIELD_CONFIG for one service. Undefined for another form, which an older agent may send. */
export function readFilterConfig(result: unknown): FilterConfig | undefined {
  const { files, files_total: total } = firstService(result);
  if (!Array.isArray(files) || typeof total !== 'number') return undefined;
  return {
    files: files
      .filter(isObject)
      .map(({ path, bytes, sha256 }) => ({ path: toText(path), bytes: Number(bytes), sha256: toText(sha256) })),
    total,
  };
}

/** Reads the result of GET_SHIELD_STATUS for one service. Undefined for another form, which an older agent may send. */
export function readFilterStatus(result: unknown): FilterStatus | undefined {
  const { processes, logs } = firstService(result);
  if (!Array.isArray(processes) || !Array.isArray(logs)) return undefined;
  return {
    processes: processes.filter(isObject).map(({ role, pid }) => ({ role: toText(role), pid: Number(pid) })),
    logs: logs.map(toText),
  };
}

function firstService(result: unknown): Fields {
  const services = isObject(result) ? result.services : undefined;
  const [first] = Array.isArray(services) ? (services as readonly unknown[]) : [];
  return isObject(first) ? first : {};
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

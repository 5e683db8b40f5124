/** Paths that answer with a line of text. */
const TEXTS: ReadonlySet<string> = new Set([
  '/healthcheck/fail',
  '/healthcheck/ok',
  '/hot_restart_version',
  '/ready',
  '/reopen_logs',
  '/reset_counters',
  '/runtime_modify',
]);
const LOGGER = /^\s+([\w.-]{1,128}): (\w{1,16})$/;

/** Parses an answer of Envoy: JSON, the levels of the loggers, or a text. Throws SyntaxError. */
export function parseAdminBody(path: string, text: string): unknown {
  if (path === '/logging') return { levels: parseLevels(text) };
  return TEXTS.has(path) ? text.trim() : JSON.parse(text);
}

function parseLevels(text: string): Record<string, string> {
  const found = text.split('\n').flatMap((line) => {
    const [, logger, level] = LOGGER.exec(line) ?? [];
    return logger !== undefined && level !== undefined ? [[logger, level] as const] : [];
  });
  return Object.fromEntries(found);
}

import type { ConfigError } from './types.ts';

/** Codes of errors about generated resources, or about no resource. */
const OTHER_CODES: ReadonlySet<ConfigError['code']> = new Set([
  'envoy.refused',
  'policy.refused',
  'filter.wiring',
  'node.failed',
  'admin_port.taken',
  'content.failed',
  'shield.body_cap',
  'shield.more_problems',
  'shield.unguarded',
  'shield.upgrades',
  'shield.wiring',
]);

/** Returns active errors of documents without a generated resource, or with only an earlier version. */
export function listNotGenerated(errors: readonly ConfigError[]): readonly ConfigError[] {
  return errors.filter(({ status, code }) => status === 'active' && !OTHER_CODES.has(code));
}

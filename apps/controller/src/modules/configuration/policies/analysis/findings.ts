import {
  BODY_REASONS,
  ENGINE_ERROR_REASON,
  ENGINE_REASONS,
  ENGINE_TIMEOUT_REASON,
  isEngineName,
} from '@flotilla/policy';

/**
 * Whether our filters can report this engine and reason. The sets are closed: an agent that invents codes would fill
 * tables and screens.
 */
export function isKnownFinding(engine: string, reason: string): boolean {
  if (engine === 'body') return BODY_REASONS.some((known) => known === reason);
  if (!isEngineName(engine)) return false;
  const reasons: readonly string[] = ENGINE_REASONS[engine];
  return reason === ENGINE_ERROR_REASON || reason === ENGINE_TIMEOUT_REASON || reasons.includes(reason);
}

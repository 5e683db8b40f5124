import { BODY_REASONS, ENGINE_ERROR_REASON, ENGINE_REASONS, ENGINE_TIMEOUT_REASON } from '@flotilla/policy';

/** The decision of the request filter on one request. */
export interface FilterDecision {
  readonly action: '' | 'allow' | 'block' | 'detect';
  readonly engine: string;
}

export const NO_FILTER: FilterDecision = { action: '', engine: '' };
const ALLOWED: FilterDecision = { action: 'allow', engine: '' };

/** The filter blocks with its reason as details of the response code; each reason belongs to one engine. */
const BLOCKED: ReadonlyMap<string, FilterDecision> = new Map([
  ...Object.entries(ENGINE_REASONS).flatMap(([engine, reasons]) =>
    reasons.map((reason): [string, FilterDecision] => [reason, { action: 'block', engine }]),
  ),
  ...BODY_REASONS.map((reason): [string, FilterDecision] => [reason, { action: 'block', engine: 'body' }]),
  ...[ENGINE_ERROR_REASON, ENGINE_TIMEOUT_REASON].map((reason): [string, FilterDecision] => [
    reason,
    { action: 'block', engine: '' },
  ]),
]);

const ENGINE_NAME = /^[a-z][a-z0-9_]{0,31}$/;

/**
 * `details` are those of the response code, `action` and `engine` what the filter has written into the metadata. A request of which the filter says nothing was
 * not inspected: no policy applies to it, its route leaves the filter out, or Envoy could not ask.
 */
export function decide(facts: {
  isFiltered: boolean;
  details: string;
  action: string;
  engine: string;
}): FilterDecision {
  const { isFiltered, details, action, engine } = facts;
  const blocked = BLOCKED.get(details);
  if (blocked !== undefined) return blocked;
  if (action === 'detect') return { action, engine: ENGINE_NAME.test(engine) ? engine : '' };
  // Envoy lost the filter after its answer, and refused the request.
  if (details.startsWith('ext_proc')) return NO_FILTER;
  return isFiltered && action === 'allow' ? ALLOWED : NO_FILTER;
}

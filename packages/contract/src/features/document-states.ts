/**
 * States of a document, from the reports of the proxies.
 * unused        no service reaches it
 * not_deployed  no service that reaches it is deployed
 * refused       an active configuration error names it
 * failed        a connected proxy of these services serves nothing
 * in_progress   a proxy has not applied its newest configuration yet
 * unreachable   no agent of these services is connected
 * stopped       the services were stopped everywhere
 * live          the proxies of its services run their newest configuration
 */
export const DOCUMENT_STATES = [
  'live',
  'in_progress',
  'refused',
  'failed',
  'unreachable',
  'stopped',
  'not_deployed',
  'unused',
] as const;
export type DocumentState = (typeof DOCUMENT_STATES)[number];

/** States that a list can be filtered by. */
export const DOCUMENT_STATE_FILTERS = ['refused', 'unused'] as const;
export const POLICY_STATE_FILTERS = ['unused'] as const;

export type { FromThread } from '../messages.ts';
export { CollectorCore } from '../thread/collector-core.ts';

import type { SavedView } from '../views/saved-views.ts';
import { texts } from './texts.tsx';

const text = texts.views;

export const EVENT_VIEWS: readonly SavedView[] = [
  { name: text.failed, search: { status_class: ['5xx', 'none'] } },
  { name: text.slow, search: { min_latency_ms: '1000' } },
  { name: text.stopped, search: { action: ['block', 'detect'] } },
  { name: text.anonymous, search: { authenticated: 'false', method: ['POST', 'PUT', 'PATCH', 'DELETE'] } },
  { name: text.bots, search: { agent_kind: ['scanner', 'bot'] } },
];

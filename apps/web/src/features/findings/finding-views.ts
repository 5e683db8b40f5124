import type { SavedView } from '../inventory/index.ts';
import { texts } from './texts.tsx';

const text = texts.views;

export const FINDING_VIEWS: readonly SavedView[] = [
  { name: text.urgent, search: { severity: ['critical', 'high'] } },
  { name: text.unassigned, search: { unassigned: 'true' } },
  { name: text.back, search: { state: 'came_back' } },
  { name: text.claimed, search: { state: 'fix_claimed' } },
];

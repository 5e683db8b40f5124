import type { HaRole, HaStatus } from '@flotilla/contract';
import type { Tone } from '../../ui/index.ts';

type Shape = 'full' | 'half' | 'ring' | 'arc' | 'triangle' | 'square';

interface Look {
  readonly tone: Tone;
  readonly shape: Shape;
}

export const STATUS_LOOKS: Readonly<Record<HaStatus, Look>> = {
  split_brain: { tone: 'bad', shape: 'triangle' },
  no_active: { tone: 'bad', shape: 'triangle' },
  handing_over: { tone: 'busy', shape: 'arc' },
  config_pending: { tone: 'busy', shape: 'half' },
  syncing: { tone: 'busy', shape: 'arc' },
  degraded: { tone: 'warn', shape: 'half' },
  awaiting_peer: { tone: 'warn', shape: 'ring' },
  failed_over: { tone: 'warn', shape: 'triangle' },
  live: { tone: 'good', shape: 'full' },
  unknown: { tone: 'quiet', shape: 'ring' },
};

export const ROLE_LOOKS: Readonly<Record<HaRole, Look>> = {
  active: { tone: 'good', shape: 'full' },
  standby: { tone: 'good', shape: 'ring' },
  init: { tone: 'busy', shape: 'arc' },
  demoting: { tone: 'busy', shape: 'arc' },
  maintenance: { tone: 'warn', shape: 'square' },
  fenced: { tone: 'bad', shape: 'triangle' },
  unpaired: { tone: 'quiet', shape: 'ring' },
};

export const GOOD: Look = { tone: 'good', shape: 'full' };
export const BAD: Look = { tone: 'bad', shape: 'triangle' };
export const WARN: Look = { tone: 'warn', shape: 'half' };
export const QUIET: Look = { tone: 'quiet', shape: 'ring' };

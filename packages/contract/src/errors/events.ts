import { createFail } from './define.ts';

export const EVENT_ERRORS = {
  'events.too_many': {
    status: 429,
    message: 'You already have {limit} event streams open, which is the limit. Close one first.',
  },
  'events.full': { status: 503, message: 'Too many event streams are open on this controller. Try again later.' },
} as const;

export const failEvents = createFail(EVENT_ERRORS);

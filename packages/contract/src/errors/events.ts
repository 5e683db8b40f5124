import { createFail } from './define.ts';

export const EVENT_ERRORS = {
  'events.too_many': {
    status: 429,
    message: 'You have {limit} streams of events open, which is as many as one may have. Close one first.',
  },
  'events.full': { status: 503, message: 'Too many listen to events here. Try again later.' },
} as const;

export const failEvents = createFail(EVENT_ERRORS);
